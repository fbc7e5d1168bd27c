import type { ProviderData } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';

/** Whose data it is. */
export const PROVIDER = 'anthropic';

/** What a thinking block carries; services that follow the API may have no signatures. */
export interface ThinkingData {
  readonly signature?: string;
}

/** The data of a block as fields; nothing when it is another provider's. */
export function ownData(data: ProviderData | undefined): Readonly<Record<string, unknown>> | undefined {
  return data?.provider === PROVIDER ? recordOf(data.data) : undefined;
}
