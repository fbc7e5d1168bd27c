import type { EntryBody } from '../log/entry.ts';
import { lastMark } from '../store/run-mark.ts';

/**
 * What entries change in the list of sessions: run, waits_until, last_result, title, metadata, labels. Null: nothing; of `waits_until` it
 * goes with `run`.
 */
export function listedValues(entries: readonly EntryBody[]): readonly unknown[] {
  if (entries.every(({ type }) => type === 'record')) return NOTHING; // nearly all are
  const mark = lastMark(entries);
  const title = entries.findLast((body) => body.type === 'title')?.title;
  const metadata = entries.findLast((body) => body.type === 'metadata')?.metadata;
  return [
    mark ? (mark.run ?? 'ended') : null,
    mark?.until ?? null,
    jsonOf(mark?.lastResult),
    jsonOf(title),
    jsonOf(metadata),
    metadata ? labelsOf(metadata) : null,
  ];
}

const NOTHING: readonly unknown[] = [null, null, null, null, null, null];

/** One hash for each pair, which fits into an index whatever its length. */
export function labelsOf(metadata: Readonly<Record<string, string>>): readonly string[] {
  const { hash } = process.getBuiltinModule('node:crypto'); // few sessions have metadata
  return Object.entries(metadata).map((pair) => hash('sha256', JSON.stringify(pair)).slice(0, 32));
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
