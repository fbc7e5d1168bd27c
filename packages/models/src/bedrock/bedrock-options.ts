/** The name in replies and errors. */
export const BEDROCK = 'bedrock';

/** The part of the official client, `BedrockRuntimeClient`, that is used. */
export interface BedrockClient {
  // the commands of the package are not named here, because it is an optional peer
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

/** Options of `bedrock`. */
export interface BedrockOptions {
  /** The AWS region. Default: as the official client finds it, from `AWS_REGION` or the profile. Not together with `client`. */
  readonly region?: string;
  /**
   * A `BedrockRuntimeClient` of the host, with its own credentials, address and limits; give it `maxAttempts: 1`, for the session retries.
   * The host destroys it. Default: one with the credentials of the machine, or the key in `AWS_BEARER_TOKEN_BEDROCK`.
   */
  readonly client?: BedrockClient;
  /**
   * The API. `anthropic` is Anthropic's own format, for Claude alone; `converse` is the same for all models of Bedrock.
   * Default: by the model's name, `anthropic` for those of Anthropic.
   */
  readonly api?: 'anthropic' | 'converse';
  /** Fields of every request, in the words of the API. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Tokens. Default: by the model's name. */
  readonly contextWindow?: number;
}
