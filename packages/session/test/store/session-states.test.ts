import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listSessions, memoryStore, type SessionStore, sqliteStore } from '../../src/index.ts';
import { codeOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { secondProcess } from '../support/second-process.ts';
import { newSession, sendTo } from '../support/served.ts';
import { waitingSession } from '../support/waiting.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'states-'));
});
afterAll(() => rm(folder, { recursive: true }));

const stores: [string, () => SessionStore][] = [
  ['memory', memoryStore],
  ['sqlite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
  ['directory', () => sqliteStore({ directory: join(folder, crypto.randomUUID()) })],
];

async function statesIn(store: SessionStore): Promise<Record<string, unknown>> {
  const { sessions } = await listSessions({ store });
  return Object.fromEntries(
    sessions.map(({ sessionId, state, lastResult }) => [sessionId, [state, lastResult?.subtype]]),
  );
}

describe.each(stores)('listSessions over the %s store (V15)', (_name, open) => {
  it('says what each session is doing, and how its last run ended', async () => {
    await using store = open();
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const wait = toolNamed('wait', () => (begun.resolve(), gate.promise));
    const running = await scriptedSession([{ toolCalls: [{ name: 'wait' }] }, { text: 'Done.' }], {
      store,
      tools: [wait],
    });
    const failed = await scriptedSession([{ error: new Error('The line is down') }], { store, retryBudgetMs: 0 });
    const waiting = await waitingSession({ store });
    await say(failed.session, 'Hello?');
    const reading = say(running.session, 'Work.');
    await begun.promise;

    const during = await statesIn(store);
    gate.resolve('worked');
    await reading;
    await waiting.session.answer('p1', { behavior: 'allow' });
    const answered = await statesIn(store);
    const after = await listSessions({ store, state: 'idle' });

    expect(during).toEqual({
      [running.session.sessionId]: ['running', undefined],
      [failed.session.sessionId]: ['idle', 'error'],
      [waiting.sessionId]: ['waiting', undefined],
    });
    expect(answered[running.session.sessionId]).toEqual(['idle', 'success']);
    expect(answered[waiting.sessionId]).toEqual(['waiting', undefined]);
    expect(after.sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(
      [running.session.sessionId, failed.session.sessionId].toSorted(),
    );
    const { sessions } = await listSessions({ store, state: 'idle' });
    const { lastResult } = sessions.find(({ sessionId }) => sessionId === failed.session.sessionId)!;
    expect(lastResult).toMatchObject({ subtype: 'error', error: { message: expect.stringContaining('down') } });
  });

  it('finds sessions by what the host has noted about them', async () => {
    await using store = open();
    const [ann, bob] = [
      await scriptedSession([], { store, metadata: { user: 'ann', plan: 'free' } }),
      await scriptedSession([], { store, metadata: { user: 'bob', plan: 'free' } }),
    ];
    await bob.session.setMetadata({ user: 'bob', plan: 'paid' });
    const found = async (metadata: Record<string, string>) =>
      (await listSessions({ store, metadata })).sessions.map(({ sessionId }) => sessionId);

    expect(await found({ plan: 'free' })).toEqual([ann.session.sessionId]);
    expect(await found({ user: 'bob', plan: 'paid' })).toEqual([bob.session.sessionId]);
    expect(await found({ user: 'carl' })).toEqual([]);
  });

  it('finds one session by its id, if the rest fits it too', async () => {
    await using store = open();
    const { session } = await scriptedSession([], { store, metadata: { user: 'ann' } });
    await scriptedSession([], { store, metadata: { user: 'ann' } });
    const { sessionId } = session;
    const found = async (user: string) =>
      (await listSessions({ store, sessionId, metadata: { user } })).sessions.map((one) => one.sessionId);

    expect(await found('ann')).toEqual([sessionId]);
    expect(await found('bob')).toEqual([]);
  });

  it.each([
    [{ state: 'Waiting' }, 'state'],
    [{ state: '' }, 'state'],
    [{ metadata: { user: 1 } }, 'metadata.user'],
    [{ metadata: 'user' }, 'metadata'],
  ])('refuses %j', async (query, field) => {
    await using store = open();

    await expect(listSessions({ store, ...query } as never)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field });
    expect(await codeOf(listSessions({ store, ...query } as never))).toBe('VALIDATION_ERROR');
  });
});

describe('a session whose process was killed in a run (V31)', () => {
  it('is running until then, and interrupted at once', async () => {
    const path = join(folder, `${crypto.randomUUID()}.db`);
    await using store = sqliteStore({ path });
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Wait.');
    const runner = secondProcess(path, 'runner.ts', [sessionId]);
    const said = await runner.send('go');

    const before = await statesIn(store);
    await runner.kill();
    const after = await statesIn(store);

    expect(said).toBe('calls');
    expect(before).toEqual({ [sessionId]: ['running', undefined] });
    expect(after).toEqual({ [sessionId]: ['interrupted', undefined] });
    expect((await listSessions({ store, state: 'interrupted' })).sessions).toHaveLength(1);
  });
});
