import type { AiSdkModel, Metadata, Version } from './specification.ts';

/** Options of `fromAiSdk`. */
export interface FromAiSdkOptions {
  /** Sent with every request: what the AI SDK has no name for, by provider, such as `{ openai: { store: false } }`. */
  readonly providerOptions?: Readonly<Record<string, Metadata>> | undefined;
  /** Tokens that messages and reply may have together; sessions compact by it. Default: by the model's name, 128,000 for an unknown one. */
  readonly contextWindow?: number | undefined;
  /** The key that the model was made with: never sent, but taken out of errors in which the service repeats it. */
  readonly apiKey?: string | undefined;
}

/** A language model whose version is known. */
export interface SpokenModel extends FromAiSdkOptions {
  readonly source: AiSdkModel;
  readonly version: Version;
  /** In messages and errors: never the name of a provider of this package, whose data has another form. */
  readonly provider: string;
}
