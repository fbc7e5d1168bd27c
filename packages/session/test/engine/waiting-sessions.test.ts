import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  answerQuestion,
  memoryStore,
  pendingQuestions,
  type ServeSessionsOptions,
  type SessionStore,
  sqliteStore,
} from '../../src/index.ts';
import { bodiesOf, read, resultOf, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { linesOf, newSession, sendTo, served } from '../support/served.ts';
import { later, paying, payTool, waitingSession } from '../support/waiting.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waiting-'));
});
afterAll(() => rm(folder, { recursive: true }));
const patience = { timeout: 15_000, interval: 10 };

const stores: [string, () => SessionStore][] = [
  ['memory', memoryStore],
  ['sqlite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
  ['directory', () => sqliteStore({ directory: join(folder, crypto.randomUUID()) })],
];

const codeIn = (error: unknown) => (error as { readonly code?: unknown }).code;

/** A session with one answered message. */
async function talked(store: SessionStore) {
  const { session } = await scriptedSession([{ text: 'Hello.' }, { text: 'Hello again.' }], { store });
  const { messageId } = await session.send('Hi.');
  await read(session);
  return { session, messageId };
}

/** A worker whose sessions pay only when a person has allowed it. */
async function payingWorker(
  store: SessionStore,
  more: { readonly ttlMs?: number; readonly lookEveryMs?: number } = {},
) {
  const { pay, paid } = payTool();
  const { provider, models } = scriptedProvider(paying);
  const subtypes: string[] = [];
  const options: ServeSessionsOptions['options'] = () => ({
    provider,
    model: 'm',
    tools: [pay],
    allowedTools: ['pay'],
    canUseTool: later,
    ...(more.ttlMs === undefined ? {} : { questionTtlMs: more.ttlMs }),
  });
  const onEvent: ServeSessionsOptions['onEvent'] = (event) => {
    if (event.type === 'result') subtypes.push(event.subtype);
  };
  const worker = await served(store, { options, onEvent, lookEveryMs: more.lookEveryMs ?? 10 });
  return { worker, paid, subtypes, models };
}

describe.each(stores)('a worker whose sessions wait for answers, over the %s store', (_name, open) => {
  it('leaves them until the answer is there, takes no place for them, and goes on then', async () => {
    await using store = open();
    const { worker, paid, subtypes } = await payingWorker(store);
    await using _worker = worker;
    const ids = [await newSession(store), await newSession(store)];
    for (const id of ids) await sendTo(store, id, 'Pay.');
    await vi.waitFor(async () => expect(await pendingQuestions(store)).toHaveLength(2), patience);
    await worker.engine.idle();
    const asked = worker.engine.asked.length;

    await answerQuestion({ store, sessionId: ids[1]!, callId: 'p1', answer: { behavior: 'allow' } });
    await vi.waitFor(() => expect(subtypes).toEqual(['waiting', 'waiting', 'success']), patience);

    expect(paid).toEqual(['p1 5']);
    expect(worker.engine.asked.slice(asked)).toEqual([ids[1]]);
    expect((await pendingQuestions(store)).map(({ sessionId }) => sessionId)).toEqual([ids[0]]);
    expect(worker.errors).toEqual([]);
  });

  it('begins with answers that came while nobody served, and leaves what still waits alone', async () => {
    await using store = open();
    const ids = [await newSession(store), await newSession(store)];
    const before = await payingWorker(store);
    for (const id of ids) await sendTo(store, id, 'Pay.');
    await vi.waitFor(() => expect(before.subtypes).toEqual(['waiting', 'waiting']), patience);
    await before.worker[Symbol.asyncDispose]();
    await answerQuestion({ store, sessionId: ids[0]!, callId: 'p1', answer: { behavior: 'allow' } });
    const length = (await bodiesOf(store, ids[1]!)).length;

    const after = await payingWorker(store);
    await using _after = after.worker;
    await vi.waitFor(() => expect(after.subtypes).toEqual(['success']), patience);
    await after.worker.engine.idle();

    expect(after.paid).toEqual(['p1 5']);
    expect(after.worker.engine.asked).toEqual([ids[0]]);
    expect((await bodiesOf(store, ids[1]!)).length).toBe(length);
  });

  it('refuses what expires, at the time, also when it was asked before the worker began', async () => {
    await using store = open();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Pay.');
    const before = await payingWorker(store, { ttlMs: 300 });
    await vi.waitFor(() => expect(before.subtypes).toEqual(['waiting']), patience);
    await before.worker[Symbol.asyncDispose]();

    const { worker, subtypes, paid } = await payingWorker(store, { ttlMs: 300 });
    await using _worker = worker;
    await vi.waitFor(() => expect(subtypes.at(-1)).toBe('success'), patience);

    expect(paid).toEqual([]);
    expect((await linesOf(store, sessionId)).at(-1)).toBe('ended: success');
  });

  it('refuses what expires while it lives, also where a host of its own has asked', async () => {
    await using store = open();
    const { worker, subtypes, paid } = await payingWorker(store);
    await using _worker = worker;
    const { session } = await waitingSession({ store, questionTtlMs: 200 });
    await session.close();

    // The worker may have looked at what was sent before its sender ran it.
    await vi.waitFor(() => expect(subtypes.at(-1)).toBe('success'), patience);

    expect(paid).toEqual([]);
    expect(worker.errors.map(codeIn).filter((code) => code !== 'SESSION_BUSY')).toEqual([]);
  });

  it('leaves a fork to whoever has made it', async () => {
    await using store = open();
    const { session, messageId } = await talked(store);
    const { worker } = await payingWorker(store);
    await using _worker = worker;
    let looks = 0;
    const looking = setInterval(() => (looks += 1), 10);

    const fork = await session.fork({ messageId });
    await vi.waitFor(() => expect(looks).toBeGreaterThan(20), patience);
    clearInterval(looking);

    expect(worker.engine.asked).not.toContain(fork.sessionId);
    expect(resultOf(await read(fork)).subtype).toBe('success');
  });

  it('records nothing for an ask that comes late', async () => {
    await using store = open();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Pay.');
    const { worker, subtypes } = await payingWorker(store);
    await using _worker = worker;
    await vi.waitFor(() => expect(subtypes).toEqual(['waiting']), patience);
    await worker.engine.idle();
    const before = await bodiesOf(store, sessionId);

    await worker.engine.submit(sessionId);
    await worker.engine.idle();

    expect(await bodiesOf(store, sessionId)).toEqual(before);
    expect(subtypes).toEqual(['waiting']);
  });

  it('keeps what is sent meanwhile for after the answer', async () => {
    await using store = open();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Pay.');
    const { worker, subtypes, paid } = await payingWorker(store);
    await using _worker = worker;
    await vi.waitFor(() => expect(subtypes).toEqual(['waiting']), patience);
    await sendTo(store, sessionId, 'And?');
    await vi.waitFor(() => expect(subtypes.length).toBeGreaterThan(1), patience);
    await worker.engine.idle();

    await answerQuestion({ store, sessionId, callId: 'p1', answer: { behavior: 'allow' } });
    await vi.waitFor(async () => expect(await store.inbox(sessionId)).toEqual([]), patience);

    expect(paid).toEqual(['p1 5']);
    expect(worker.errors).toEqual([]);
  });
});
