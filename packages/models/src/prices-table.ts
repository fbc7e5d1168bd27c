/** US dollars per million tokens. */
export interface TokenPrice {
  /** Prompt tokens that were not read from a cache. */
  readonly input: number;
  /** Tokens of the reply, reasoning included. */
  readonly output: number;
  /** Tokens read from a cache; absent, they cost what `input` does. */
  readonly cacheRead?: number;
  /** Tokens written to a cache; absent, they cost what `input` does. */
  readonly cacheWrite?: number;
}
/** The price of a model. */
export interface ModelPrice extends TokenPrice {
  /** Replaces the other prices for every token of a call whose prompt, cached tokens included, is longer than `overTokens`. */
  readonly long?: TokenPrice & { readonly overTokens: number };
  /** US dollars of one call of a tool of the service, by the name in its steps. */
  readonly uses?: Readonly<Record<string, number>>;
}
/** Prices by the name of the model, as in its replies. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** By the name of the model. */
const TOKEN_PRICES: ModelPrices = {
  'gpt-5.4-mini': { input: 0.75, output: 4.5, cacheRead: 0.075 },
  'gpt-5.4-nano': { input: 0.2, output: 1.25, cacheRead: 0.02 },
  'gpt-5.3-codex': { input: 1.75, output: 14, cacheRead: 0.175 },
  'gpt-5.2': { input: 1.75, output: 14, cacheRead: 0.175 },
  'gpt-5.1': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
  'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
  'gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
  'gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
  'gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025 },
  'gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  'gpt-4o-2024-05-13': { input: 5, output: 15 },
  'gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
  o3: { input: 2, output: 8, cacheRead: 0.5 },
  'o4-mini': { input: 1.1, output: 4.4, cacheRead: 0.275 },
  'claude-fable-5-1': { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  'claude-fable-5': { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
  'claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  'claude-opus-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-opus-4-8': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-opus-4-7': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-opus-4-6': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-opus-4-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  'claude-sonnet-5': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  'claude-sonnet-4-6': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'claude-sonnet-4-5': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  'gemini-3.1-pro-preview': {
    input: 2,
    output: 12,
    cacheRead: 0.2,
    long: { overTokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
  },
  'gemini-3-flash-preview': { input: 0.5, output: 3, cacheRead: 0.05 },
  'gemini-2.5-pro': {
    input: 1.25,
    output: 10,
    cacheRead: 0.125,
    long: { overTokens: 200_000, input: 2.5, output: 15, cacheRead: 0.25 },
  },
  'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03 },
  'gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cacheRead: 0.01 },
};

/** Services whose tools have one price for all models. Code is paid by the time of its container, which no reply tells. */
const USES: readonly (readonly [name: RegExp, uses: NonNullable<ModelPrice['uses']>])[] = [
  [/^claude-/, { web_search: 0.01, web_fetch: 0 }],
  [/^(?:gpt-|o\d)/, { web_search: 0.01, file_search: 0.0025 }],
];

/**
 * List prices of the services for one standard call, in US dollars per million tokens, as of November 2026; from the public price lists of
 * the services. Batch, priority and regional prices differ; cache writes are those that last five minutes. A model whose price was not
 * certain is left out: no cost is better than a wrong one.
 */
export const PRICES: ModelPrices = Object.fromEntries(
  Object.entries(TOKEN_PRICES).map(([name, price]) => {
    const uses = USES.find(([of]) => of.test(name))?.[1];
    return [name, uses ? { ...price, uses } : price];
  }),
);
