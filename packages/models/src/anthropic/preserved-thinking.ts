import { recordOf } from '../wire/json-values.ts';
import { versionOf } from './model-facts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields and the header that let the service drop thoughts whose conversation has changed. */
const DROP = { prefix_mismatch_behavior: 'drop_block' };
const BETA = 'thinking-binding-controls-2026-08-01';

/**
 * True when a model binds its thoughts to everything before them (platform.claude.com, "Preserved thinking"; from 5.1 on). It thinks by
 * default, and refuses a thought when the instruction, the tools or an earlier message have changed since, as by a compaction.
 */
export function bindsThinking(model: string): boolean {
  return versionOf(model) >= 501;
}

/** Adds to the host's fields that stale thoughts are dropped; nothing when the host has chosen another way to think. */
export function droppingStaleThinking(extra: Fields): Fields {
  const thinking = extra['thinking'] === undefined ? { type: 'adaptive' } : recordOf(extra['thinking']);
  if (thinking?.['type'] !== 'adaptive') return extra;
  return { ...extra, thinking: { block_binding: DROP, ...thinking } };
}

/** Adds the header that the field needs. */
export function allowingDrops(built: Headers): Headers {
  const headers = new Headers(built);
  if (!headers.get('anthropic-beta')?.includes(BETA)) headers.append('anthropic-beta', BETA);
  return headers;
}
