import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EntryBody,
  forkSession,
  memoryStore,
  pruneSessions,
  resumeSession,
  type SessionStore,
  sessionUsage,
  sqliteStore,
} from '../../src/index.ts';
import { linesOf } from '../support/exports.ts';
import { codeOf, scriptedProvider } from '../support/makers.ts';
import { owned, title } from '../support/store-values.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unreadable-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const STORES: readonly [string, () => SessionStore][] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
  ['SQLite, a file for each session', () => sqliteStore({ directory: join(folder, crypto.randomUUID()) })],
];
const DAMAGED: EntryBody = { type: 'blob', of: 'record', sha256: 'a'.repeat(64) }; // whose bytes are missing
const NEWER: EntryBody = { type: 'format_raised', format: 99 };
const { provider } = scriptedProvider(() => ({ text: 'Hello.' }));
const READERS: readonly [string, (store: SessionStore, sessionId: string) => Promise<unknown>][] = [
  ['resumeSession', (store, sessionId) => resumeSession({ provider, model: 'm', store, sessionId })],
  ['forkSession', (store, sessionId) => forkSession({ provider, model: 'm', store, sessionId })],
  ['exportSession', linesOf],
  ['sessionUsage', sessionUsage],
];

/** A session whose log ends with this entry, and its lease. */
async function ending(store: SessionStore, sessionId: string, body: EntryBody) {
  const lease = await owned(store, sessionId);
  await store.append(sessionId, { epoch: lease.epoch, head: 1 }, [body]);
  return lease;
}

describe.each(STORES)('a session in %s', (_store, make) => {
  it.each(READERS)('%s tells a damaged log from one of a newer version', async (_reader, read) => {
    await using store = make();
    await ending(store, 'damaged', DAMAGED);
    await ending(store, 'newer', NEWER);

    expect(await codeOf(read(store, 'damaged'))).toBe('LOG_DAMAGED');
    expect(await codeOf(read(store, 'newer'))).toBe('LOG_TOO_NEW');
  });

  it.each([DAMAGED, NEWER])('refuses an append at another head as that, whatever the log holds (%o)', async (body) => {
    await using store = make();
    const { epoch } = await ending(store, 's', body);

    expect(await codeOf(store.append('s', { epoch, head: 1 }, [title('late')]))).toBe('SESSION_CONFLICT');
  });

  it('is left by pruneSessions when its log is damaged or of a newer version', async () => {
    await using store = make();
    for (const [id, body] of Object.entries({ damaged: DAMAGED, newer: NEWER }))
      await store.release(await ending(store, id, body));

    const { removed, left } = await pruneSessions({ store, olderThan: new Date(Date.now() + 60_000) });

    expect(removed).toEqual([]);
    expect(new Map(left.map(({ sessionId, reason }) => [sessionId, reason]))).toEqual(
      new Map([
        ['damaged', 'unreadable'],
        ['newer', 'unreadable'],
      ]),
    );
  });
});
