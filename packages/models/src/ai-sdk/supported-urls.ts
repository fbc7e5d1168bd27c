import type { MediaBlock } from '@x/core/internal';
import { recordOf } from '../wire/json-values.ts';
import type { AiSdkModel, SupportedUrls } from './specification.ts';

/** The patterns of a model that has them at once; undefined for one that has to look them up. */
export function knownUrls({ supportedUrls }: AiSdkModel): SupportedUrls | undefined {
  return typeof recordOf(supportedUrls)?.['then'] === 'function' ? undefined : (supportedUrls as SupportedUrls); // safe: the other kind
}

/** False for an address that the model does not fetch itself. Media types are `image/png`, `image/*`, or `*` and the like for all. */
export function fetchable(part: MediaBlock, urls: SupportedUrls): boolean {
  if (part.type !== 'link') return true;
  const kind = `${part.mediaType.split('/')[0]}/*`;
  const address = part.url.toLowerCase();
  return Object.entries(urls).some(
    ([mediaType, patterns]) =>
      ['*', '*/*', kind, part.mediaType].includes(mediaType) &&
      patterns.some((pattern) => address.search(pattern) >= 0),
  );
}
