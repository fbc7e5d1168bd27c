import type { LastResult, SessionPage, SessionQuery, SessionSummary } from '../log/session-store.ts';
import { damaged } from './refusals.ts';
import { isAskedFor, type RunMark, stateOf } from './run-mark.ts';
import { type PageStart, pageOf, pageStart } from './session-page.ts';
import type { StoredRow } from './stored-entry.ts';

/** Reads of a database for one list. */
export interface ListReads<Row extends StoredRow> {
  /** Up to `limit` + 1 sessions after a place: id, cwd, title, metadata, forked_from, run, waits_until, last_result, epoch, head, updated_at. */
  rowsAfter(start: PageStart): readonly Row[] | Promise<readonly Row[]>;
  /** True while somebody has the lease of the session. */
  isHeld(row: Row): boolean;
}

/** One page. The rows may contain sessions that the query does not select: some states depend on the lease. */
export async function listedPage<Row extends StoredRow>(
  query: SessionQuery,
  { rowsAfter, isHeld }: ListReads<Row>,
): Promise<SessionPage> {
  const found: SessionSummary[] = [];
  for (let start = pageStart(query); ; ) {
    const { limit } = start;
    const rows = await rowsAfter(start);
    for (const row of rows) {
      const summary = summaryOf(row, () => isHeld(row));
      if (isAskedFor(query, summary)) found.push(summary);
    }
    const last = rows.at(-1);
    if (!last || found.length > limit || rows.length <= limit) return pageOf(found, limit);
    start = { updatedAt: Number(last['updated_at']), sessionId: String(last['id']), limit };
  }
}

function summaryOf(row: StoredRow, isHeld: () => boolean): SessionSummary {
  const state = stateOf(row['run'] as RunMark['run'], Number(row['epoch']), isHeld); // safe: written by the store
  return {
    sessionId: String(row['id']),
    cwd: String(row['cwd']),
    ...(row['title'] === null ? {} : { title: String(row['title']) }),
    ...(row['metadata'] === null ? {} : { metadata: jsonIn(row, 'metadata') as Readonly<Record<string, string>> }), // safe: likewise
    ...(row['forked_from'] === null ? {} : { forkedFrom: String(row['forked_from']) }),
    state,
    ...(state === 'waiting' && row['waits_until'] !== null ? { expiresAt: Number(row['waits_until']) } : {}),
    ...(row['last_result'] === null ? {} : { lastResult: jsonIn(row, 'last_result') as LastResult }), // safe: likewise
    head: Number(row['head']),
    updatedAt: new Date(Number(row['updated_at'])).toISOString(),
  };
}

function jsonIn(row: StoredRow, column: 'metadata' | 'last_result'): unknown {
  try {
    return JSON.parse(String(row[column]));
  } catch (cause) {
    throw damaged(`The ${column} column`, String(row['id']), cause);
  }
}
