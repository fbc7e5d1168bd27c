import type { AgentMail } from './organization.ts';
import type { Role } from './role.ts';

/** A role to create. */
export interface NewRole {
  readonly name: string;
  readonly rolePrompt: string;
  /** Default: that of the runtime. */
  readonly toolGroups?: readonly string[];
  /** Default: null. */
  readonly llmServiceId?: string | null;
  /** The agent that asks, whose own groups are the limit. Absent: the host, recorded as `root`. */
  readonly createdBy?: string;
}

/** An agent to create. */
export interface NewAgent {
  readonly roleId: string;
  /** The agent that asks, whose own groups are the limit. Absent: the host, recorded as `root`. */
  readonly createdBy?: string;
  /** Default: a random UUID. `root` and ids in use are refused. */
  readonly id?: string;
}

/** An agent to start. */
export interface NewSpawn extends NewAgent {
  /** Its first message. */
  readonly task?: string;
}

/** A message to send. */
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
  /** The id of its creator; for the root agent its own. */
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Actions of the organisation tools for an agent; `Runtime` implements it. Every refusal is an `OrganizationError`. */
export interface OrgActions {
  /** The oldest active role of this name, else the oldest one. */
  findRoleByName(name: string): Role | undefined;
  createRole(role: NewRole): Promise<Role>;
  spawnAgent(agent: NewSpawn, options?: { readonly signal?: AbortSignal }): Promise<AgentInfo>;
  /** Ends an agent and its children. `by`: the agent that asks, which may only end agents it created, or their children. */
  terminateAgent(
    agentId: string,
    options?: { readonly by?: string; readonly signal?: AbortSignal },
  ): Promise<readonly string[]>;
  sendMessage(mail: NewMail, options?: { readonly signal?: AbortSignal }): Promise<AgentMail>;
}
