import type { ProviderData } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';

/** The `provider` in the data of this adapter. */
export const PROVIDER = 'anthropic';

/** Data of a thinking block; compatible services may have no signatures. */
export interface ThinkingData {
  readonly signature?: string;
}

/** The data of a block as fields; undefined when it is another provider's. */
export function ownData(data: ProviderData | undefined): Readonly<Record<string, unknown>> | undefined {
  return data?.provider === PROVIDER ? recordOf(data.data) : undefined;
}
