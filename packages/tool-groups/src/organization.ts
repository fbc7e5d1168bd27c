import type { Role } from './role.ts';

/** An agent to run; the runtime chose its id. */
export interface SpawnedAgent {
  readonly id: string;
  readonly roleId: string;
  /** The role when the agent was requested. */
  readonly role: Role;
  /** The id of the agent that requested it; `root` for the first ones. */
  readonly createdBy: string;
  /** The first task; without one it waits for its first message. */
  readonly task?: string;
}

/** One message from an agent to another. */
export interface AgentMail {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/**
 * Runs agents. The runtime decides who may do what and asks the organisation to do it; `organizationContract` of `@x/tool-groups/testing`
 * checks the promises of every organisation. An agent called `root` exists from the beginning: it gets messages, and is neither spawned nor
 * terminated.
 */
export interface Organization {
  /** Resolves when the agent exists and gets messages. A rejected call leaves nothing behind, even when it was aborted. */
  spawn(agent: SpawnedAgent, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Resolves when the message is stored for its receiver. Rejects for an unknown receiver. */
  send(mail: AgentMail, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Resolves when the agent has ended, also for an unknown id. */
  terminate(agentId: string, options: { readonly signal: AbortSignal }): Promise<void>;
}
