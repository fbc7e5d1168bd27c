import type { AgentMail } from './organization.ts';
import type { Role } from './role.ts';

/** A role to be made. */
export interface NewRole {
  readonly name: string;
  readonly rolePrompt: string;
  /** Absent: the default of the runtime. */
  readonly toolGroups?: readonly string[];
  /** Default: null. */
  readonly llmServiceId?: string | null;
  /** The agent that asks, whose own groups are the limit. Absent: the host, recorded as `root`. */
  readonly createdBy?: string;
}

/** An agent to be made. */
export interface NewAgent {
  readonly roleId: string;
  /** The agent that asks, whose own groups are the limit. Absent: the host, recorded as `root`. */
  readonly createdBy?: string;
  /** Default: a random UUID. `root` and ids in use are refused. */
  readonly id?: string;
}

/** An agent to be started. */
export interface NewSpawn extends NewAgent {
  /** Its first message. */
  readonly task?: string;
}

/** A message to be sent. */
export interface NewMail {
  /** Absent: the host, as `root`. */
  readonly from?: string;
  readonly to: string;
  readonly text: string;
}

/** An agent of the organisation. Frozen. */
export interface AgentInfo {
  readonly id: string;
  readonly roleId: string;
  /** The id of its creator; of the root agent its own. */
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** What the organisation tools do for an agent; `Runtime` implements it. Every refusal is an `OrganizationError`. */
export interface OrgActions {
  /** The oldest active role of this name, else the oldest one. */
  findRoleByName(name: string): Role | undefined;
  createRole(role: NewRole): Promise<Role>;
  spawnAgent(agent: NewSpawn, options?: { readonly signal?: AbortSignal }): Promise<AgentInfo>;
  /** Its children go with it. `by`: the agent that asks, who may only end agents it made, or their children. */
  terminateAgent(
    agentId: string,
    options?: { readonly by?: string; readonly signal?: AbortSignal },
  ): Promise<readonly string[]>;
  sendMessage(mail: NewMail, options?: { readonly signal?: AbortSignal }): Promise<AgentMail>;
}
