import type { Organization } from '../organization.ts';

/** An organisation, and how a case sees what became of its agents. */
export interface OrganizationUnderTest {
  /** Fresh, with nobody but the root agent. */
  readonly organization: Organization;
  /** Whether the agent is there: it was spawned and has not ended. */
  isRunning(agentId: string): boolean | Promise<boolean>;
  /**
   * What the agent was told so far, in order: its task, then its messages, each as a text that holds the text sent. It may keep
   * growing; the case asks until it has seen what it waits for.
   */
  toldTo(agentId: string): readonly string[] | Promise<readonly string[]>;
  /** Ends what is left. */
  dispose?(): void | Promise<void>;
}
