/** What the listing of a provider says of one model. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  /** Tokens that fit into its window, where the service says so. */
  readonly maxTokens?: number;
}
