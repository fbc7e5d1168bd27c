import { recordOf } from '../wire/json-values.ts';
import type { WireChunk } from './wire-chunk.ts';

/** The pages that Perplexity names beside a reply, all of them in each chunk; undefined without any. */
export function pagesOf({ search_results: results, citations }: WireChunk): readonly unknown[] | undefined {
  if (Array.isArray(results) && results.length > 0) return results;
  return Array.isArray(citations) ? citations.map((url) => ({ url })) : undefined;
}

/** The page of an annotation: OpenAI's search models, OpenRouter. */
export function pageOf(annotation: unknown): unknown {
  return recordOf(annotation)?.['url_citation'];
}
