import type { Provider } from './providers.ts';

/** A row of the table. */
export interface Feature {
  readonly name: string;
  /** The providers that do not have it. */
  readonly except?: readonly string[];
  /** Rejects when the provider does not have it. */
  readonly check: (provider: Provider) => Promise<void>;
}
