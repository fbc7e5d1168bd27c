/** Data of a provider about one part, by the provider's name. */
export type Metadata = Readonly<Record<string, unknown>>;
/** A part of a prompt or of a reply, unchecked: its fields differ by the version of the specification. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** A message of a prompt. */
export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly Part[] };

/** Patterns of addresses that a model fetches itself, by media type. */
export type SupportedUrls = Readonly<Record<string, readonly RegExp[]>>;

/**
 * A language model of the AI SDK, as `@ai-sdk/openai` and its kin create it: the parts of `LanguageModelV2`, `V3` and `V4` of
 * `@ai-sdk/provider` that are used here.
 */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: SupportedUrls | PromiseLike<SupportedUrls>;
  /** Its options are those of its version. */
  doStream(options: never): PromiseLike<{
    readonly stream: ReadableStream<unknown>;
    /** The HTTP answer, as far as its provider keeps it. */
    readonly response?: { readonly headers?: Readonly<Record<string, string>> };
  }>;
}

/** A provider of the AI SDK, such as `createOpenAI()` returns it: models by name. */
export interface AiSdkProvider {
  languageModel(name: never): AiSdkModel;
}

/** Versions of the specification that are spoken: those of AI SDK 5, 6 and 7. */
export const VERSIONS = ['v2', 'v3', 'v4'] as const;
export type Version = (typeof VERSIONS)[number];
