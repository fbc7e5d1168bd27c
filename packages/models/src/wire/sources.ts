import type { TextBlock } from '@x/core';
import { recordOf } from './json-values.ts';

type Sources = NonNullable<TextBlock['sources']>;

/** The sources that a list of citations names, each address once; a citation without an address, as of a document of the host, names none. */
export function sourcesIn(citations: readonly unknown[]): { readonly sources?: Sources } {
  const byUrl = new Map<string, Sources[number]>();
  for (const citation of citations) {
    const { url, title } = recordOf(citation) ?? {};
    if (typeof url !== 'string' || url === '' || byUrl.has(url)) continue;
    byUrl.set(url, { url, ...(typeof title === 'string' && title !== '' ? { title } : {}) });
  }
  return byUrl.size === 0 ? {} : { sources: [...byUrl.values()] };
}

/** The blocks with sources on the last text: of a service that names them for the reply as a whole. */
export function withSources<Block extends { readonly type: string }>(
  blocks: readonly Block[],
  citations: readonly unknown[],
): Block[] {
  const at = blocks.findLastIndex(({ type }) => type === 'text');
  const found = sourcesIn(citations);
  return found.sources ? blocks.map((block, index) => (index === at ? { ...block, ...found } : block)) : [...blocks];
}
