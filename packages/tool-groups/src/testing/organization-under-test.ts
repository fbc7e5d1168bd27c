import type { Organization } from '../organization.ts';

/** An organisation, and access to the state of its agents for the cases. */
export interface OrganizationUnderTest {
  /** Fresh, with nobody but the root agent. */
  readonly organization: Organization;
  /** True when the agent exists: it was spawned and has not ended. */
  isRunning(agentId: string): boolean | Promise<boolean>;
  /**
   * The texts that the agent got so far, in order: its task, then its messages, each as a text that contains the sent one. It may keep
   * growing; the case polls until it has what it waits for.
   */
  toldTo(agentId: string): readonly string[] | Promise<readonly string[]>;
  /** Ends what is left. */
  dispose?(): void | Promise<void>;
}
