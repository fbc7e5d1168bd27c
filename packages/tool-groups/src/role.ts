/** What a kind of agent is told and may use. */
export interface Role {
  readonly id: string;
  readonly name: string;
  /** Part of the instruction of every agent of this role. */
  readonly rolePrompt: string;
  /** The id of the agent that made it; `root` when the host did. */
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Only agents of an active role can do anything. */
  readonly status: 'active' | 'inactive';
  /** Which model service its agents use; for the organisation to read. Null: its usual one. */
  readonly llmServiceId: string | null;
  /** Ids of tool groups. Absent: the default of the runtime; empty: none. */
  readonly toolGroups?: readonly string[];
}
