import type { ProviderData } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';

/** A part of a content, as it is on the wire. */
export type WirePart = Readonly<Record<string, unknown>>;
/** What a block of a reply carries for this provider. */
export interface PartData {
  /** The `thoughtSignature` of the part that the block was. */
  readonly signature?: string;
  /** The part itself, where the block says nothing that others could read. */
  readonly part?: WirePart;
}

const PROVIDER = 'gemini';

export function partData(data: PartData): { readonly providerData: ProviderData } {
  return { providerData: { provider: PROVIDER, data } };
}

/** What a block carries, unless it is another provider's. */
export function partDataOf({ providerData }: { readonly providerData?: ProviderData }): PartData | undefined {
  if (providerData?.provider !== PROVIDER) return undefined;
  const data = recordOf(providerData.data);
  const part = recordOf(data?.['part']);
  const signature = data?.['signature'];
  return { ...(typeof signature === 'string' ? { signature } : {}), ...(part ? { part } : {}) };
}

/** Whether a thought without a signature may go back: only to who has thought it. */
export function isOwnThought(block: { readonly providerData?: ProviderData }, provider: string): boolean {
  return (block.providerData?.provider ?? provider) === PROVIDER;
}
