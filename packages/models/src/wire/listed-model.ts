/** A model in the list of a provider. */
export interface ListedModel {
  readonly id: string;
  readonly name: string;
  /** Tokens that fit into its window, if the service says so. */
  readonly maxTokens?: number;
}
