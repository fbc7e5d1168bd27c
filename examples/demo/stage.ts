import type { SessionOptions, SessionStore } from '@x/agent-sdk';

/** What all scenes share. */
export interface Stage {
  /** Removed at the end. */
  readonly folder: string;
  readonly url: string;
  /** The same service, which answers at once. */
  readonly quickUrl: string;
  readonly store: SessionStore;
}

const MODEL = 'scripted-model';
/** US dollars for a million tokens. */
export const PRICES = { [MODEL]: { input: 0.25, output: 2 } };

/** The service, the store and the price: the same for each session. */
export function optionsOf(url: string, store: SessionStore): SessionOptions {
  return {
    provider: { type: 'openai-compatible', apiKey: 'no-key-needed', baseUrl: url },
    model: MODEL,
    prices: PRICES,
    store,
  };
}
