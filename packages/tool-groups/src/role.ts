/** A kind of agent: its instruction, and the tools it may use. */
export interface Role {
  readonly id: string;
  readonly name: string;
  /** Part of the instruction of every agent of this role. */
  readonly rolePrompt: string;
  /** The id of the agent that created it; `root` for the host. */
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Only agents of an active role can do anything. */
  readonly status: 'active' | 'inactive';
  /** The model service of its agents; interpreted by the organisation. Null: its usual one. */
  readonly llmServiceId: string | null;
  /** Ids of tool groups. Absent: the default of the runtime; empty: none. */
  readonly toolGroups?: readonly string[];
}
