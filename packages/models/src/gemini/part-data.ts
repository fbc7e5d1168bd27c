import type { ImageBlock } from '@x/core';
import type { ProviderData } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';

/** A part of a content, in wire format. */
export type WirePart = Readonly<Record<string, unknown>>;
/** Provider data of a block of a reply. */
export interface PartData {
  /** The `thoughtSignature` of the part that became the block. */
  readonly signature?: string;
  /** The part itself, when the block has no content for others. */
  readonly part?: WirePart;
  /** The name and arguments of a predefined function of computer use, whose block has the tool's own. */
  readonly call?: WirePart;
}

const PROVIDER = 'gemini';

export function partData(data: PartData): { readonly providerData: ProviderData } {
  return { providerData: { provider: PROVIDER, data } };
}

/** Provider data of a block, unless it is another provider's. */
export function partDataOf({ providerData }: { readonly providerData?: ProviderData }): PartData | undefined {
  if (providerData?.provider !== PROVIDER) return undefined;
  const data = recordOf(providerData.data);
  const part = recordOf(data?.['part']);
  const call = recordOf(data?.['call']);
  const signature = data?.['signature'];
  return {
    ...(typeof signature === 'string' ? { signature } : {}),
    ...(part ? { part } : {}),
    ...(call ? { call } : {}),
  };
}

/** The picture that a part is; undefined for another part. */
export function pictureIn(part: WirePart): ImageBlock | undefined {
  const { mimeType, data } = recordOf(part['inlineData']) ?? {};
  if (typeof mimeType !== 'string' || !mimeType.startsWith('image/') || typeof data !== 'string') return undefined;
  return { type: 'image', mediaType: mimeType, data };
}

/** True when a thought without a signature may be sent back: only to the provider that produced it. */
export function isOwnThought(block: { readonly providerData?: ProviderData }, provider: string): boolean {
  return (block.providerData?.provider ?? provider) === PROVIDER;
}
