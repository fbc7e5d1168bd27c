import assert from 'node:assert/strict';
import { present } from '@x/core/internal';
import type { EntryBody } from '../../log/entry.ts';
import type { SessionStore, SessionSummary, Snapshot } from '../../log/session-store.ts';
import { same } from '../same.ts';
import { newestFirst } from './list-cases.ts';
import type { ModelSession, ReferenceModel } from './reference-model.ts';
import { codeOf, entriesOf } from './store-case.ts';

/** Checks that a session of the store equals that of the model, or is missing in both. */
export async function compareSession(model: ReferenceModel, store: SessionStore, id: string): Promise<void> {
  const expected = model.sessions.get(id);
  if (!expected) {
    same(await codeOf(entriesOf(store, id)), 'SESSION_NOT_FOUND', `${id} is not there`);
    return;
  }
  const entries = await entriesOf(store, id);
  const numbered = expected.entries.map(([epoch, body], index) => [index + 1, epoch, body]);
  same(
    entries.map(({ seq, epoch, body }) => [seq, epoch, body]),
    numbered,
    `the log of ${id}`,
  );
  const waiting = await store.inbox(id);
  same(
    waiting.map(({ message }) => message.id),
    expected.inbox,
    `the inbox of ${id}`,
  );
  for (const format of [1, 2]) {
    const kept: ModelSession['snapshot'] = expected.snapshot;
    const found: Snapshot | undefined = await store.latestSnapshot(id, format);
    const wanted: number[] | undefined = kept?.format === format ? [kept.seq, kept.byte] : undefined;
    same(found && [found.seq, found.state[0]], wanted, `the snapshot of ${id}`);
  }
  for (const hash of ['a', 'b']) {
    same((await store.getBlob(id, hash))?.[0], expected.blobs.get(hash), `the blob ${hash} of ${id}`);
  }
}

/** Checks that the list, read in pages of `limit`, holds the sessions of the model, in the order of their times. */
export async function compareList(
  model: ReferenceModel,
  store: SessionStore,
  { limit, cwd }: { readonly limit: number; readonly cwd?: string },
): Promise<void> {
  const listed: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({
      limit,
      ...(cwd === undefined ? {} : { cwd }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.ok(page.sessions.length <= limit, 'a page is not longer than its limit');
    listed.push(...page.sessions);
    cursor = page.cursor;
  } while (cursor !== undefined && listed.length < 100);
  same(listed, listed.toSorted(newestFirst), 'the order of the list');
  const expected = [...model.sessions].map(([id, session]) => summaryOf(id, session));
  const fitting = expected.filter((summary) => cwd === undefined || summary.cwd === cwd);
  const byId = (one: { sessionId: string }, other: { sessionId: string }) => (one.sessionId < other.sessionId ? -1 : 1);
  same(listed.map(({ updatedAt: _, ...rest }) => rest).sort(byId), fitting.sort(byId), 'the list');
}

function summaryOf(sessionId: string, { entries, epoch, lease }: ModelSession): Omit<SessionSummary, 'updatedAt'> {
  const bodies = entries.map(([, body]) => body);
  const last = <T extends EntryBody['type']>(type: T) =>
    bodies.findLast((body): body is Extract<EntryBody, { type: T }> => body.type === type);
  const [first, title, metadata] = [last('session_created'), last('title'), last('metadata')];
  return {
    sessionId,
    cwd: first?.cwd ?? '',
    ...stateIn(bodies, epoch > 0, lease === 'held'),
    head: entries.length,
    ...(title ? { title: title.title } : {}),
    ...(metadata ? { metadata: metadata.metadata } : {}),
    ...(first?.forkedFrom ? { forkedFrom: first.forkedFrom.sessionId } : {}),
  };
}

/** What the list says of the runs of a log. */
function stateIn(
  bodies: readonly EntryBody[],
  hasOwner: boolean,
  isHeld: boolean,
): Pick<SessionSummary, 'state' | 'expiresAt' | 'lastResult'> {
  const last = bodies.findLast(({ type }) => type.startsWith('run_'));
  const ended = bodies.findLast((body) => body.type === 'run_ended');
  const lastResult = ended
    ? {
        subtype: ended.subtype,
        ...(ended.error ? { error: { code: ended.error.code, message: ended.error.message } } : {}),
      }
    : undefined;
  const open = isHeld ? 'running' : 'interrupted';
  const waits = last?.type === 'run_left' ? last.waits : undefined;
  const state = !hasOwner || !last || last.type === 'run_ended' ? 'idle' : waits ? 'waiting' : open;
  const expiresAt = state === 'waiting' ? waits?.until : undefined;
  return { state, ...present({ expiresAt, lastResult }) };
}
