import type { Role } from './role.ts';

/** An agent that is to be run; its id was made by the runtime. */
export interface SpawnedAgent {
  readonly id: string;
  readonly roleId: string;
  /** The role as it was when the agent was asked for. */
  readonly role: Role;
  /** The id of the agent that asked for it; `root` for the first ones. */
  readonly createdBy: string;
  /** What it is to begin with; without one it waits for its first message. */
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
 * Who really runs agents. The runtime decides who may do what and asks the organisation to do it; `organizationContract` of
 * `@x/tool-groups/testing` holds what every organisation promises. An agent called `root` is there from the beginning: it gets
 * messages, and is neither spawned nor terminated.
 */
export interface Organization {
  /** Resolves when the agent is there and gets messages. One that rejects has left nothing behind, also when it was aborted. */
  spawn(agent: SpawnedAgent, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Resolves when the message is kept for its receiver. Rejects when that one is not there. */
  send(mail: AgentMail, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Resolves when the agent has ended, also when there is none of that id. */
  terminate(agentId: string, options: { readonly signal: AbortSignal }): Promise<void>;
}
