import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  createSession,
  deleteSession,
  exportSession,
  forkSession,
  importSession,
  listSessions,
  memoryStore,
  resumeSession,
} from '../../src/index.ts';
import { codeOf, read, say, scriptedProvider, scriptedSession } from '../support/makers.ts';

const { provider } = scriptedProvider(() => ({ text: 'Done.' }));
const base = { provider, model: 'm', allowedTools: [] };

/** A home of its own for the default store, while the test runs. */
async function home() {
  const folder = await mkdtemp(join(tmpdir(), 'home-'));
  vi.stubEnv('AGENT_SDK_HOME', folder);
  const gone = async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  };
  return { [Symbol.asyncDispose]: gone };
}

describe('listSessions()', () => {
  it('gives pages of sessions, newest first, those of one directory where it is named', async () => {
    const store = memoryStore();
    const titles = ['one', 'two', 'three', 'four', 'five'];
    for (const title of titles) {
      const session = await createSession({ ...base, store, title, cwd: title === 'two' ? '/tmp' : '/usr' });
      await say(session, 'Hello.');
      await new Promise((resolve) => setTimeout(resolve, 2)); // another millisecond
    }

    const first = await listSessions({ store, limit: 2 });
    const second = await listSessions({ store, limit: 2, cursor: first.cursor! });
    const third = await listSessions({ store, limit: 2, cursor: second.cursor! });
    const there = await listSessions({ store, cwd: '/usr/../tmp/' });

    const listed = [first, second, third].flatMap(({ sessions }) => sessions.map(({ title }) => title));
    expect(listed).toEqual(titles.toReversed());
    expect(third.cursor).toBeUndefined();
    expect(there.sessions).toMatchObject([{ title: 'two', cwd: '/tmp', head: 6 }]);
  });

  it('opens the default store and closes it, as its neighbours do', async () => {
    await using _ = await home();
    const session = await createSession(base);
    await say(session, 'Hello.');
    await session.close();

    const { sessions } = await listSessions();
    const fork = await forkSession({ ...base, sessionId: session.sessionId });
    const live = await fork.fork();
    await fork.close();
    await say(live, 'Still there.');
    await live.close();
    const lines = await Array.fromAsync(exportSession(session.sessionId));
    await deleteSession(session.sessionId);
    const afterwards = (await listSessions()).sessions;
    const sessionId = await importSession(lines);
    const again = await resumeSession({ ...base, sessionId });

    expect(sessions).toMatchObject([{ sessionId: session.sessionId, title: 'Hello.' }]);
    expect(new Set(afterwards.map((one) => one.forkedFrom))).toEqual(new Set([fork.sessionId, session.sessionId]));
    expect(again.messages).toEqual(session.messages);
    await again.close();
  });

  it.each<[string, object]>([
    ['limits', { limits: 5 }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 1001 }],
    ['cursor', { cursor: 'x' }],
    ['cursor', { cursor: 7 }],
    ['cwd', { cwd: '' }],
    ['store', { store: {} }],
  ])('refuses %s as in %j', async (field, options) => {
    const listing = listSessions({ store: memoryStore(), ...options });

    await expect(listing).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field });
  });
});

describe('deleteSession()', () => {
  it('removes a session, and what others it has made stays', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), { store });
    await say(session, 'Hello.');
    const fork = await session.fork();

    await deleteSession(session.sessionId, { store });

    expect((await listSessions({ store })).sessions.map(({ sessionId }) => sessionId)).toEqual([fork.sessionId]);
    expect(await codeOf(deleteSession(session.sessionId, { store }))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(read(session))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(say(fork, 'On.'))).toBe('resolved');
  });

  it('refuses while the session is run, here or elsewhere, and deletes nothing', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: ['Do', 'ne.'] }), { store });
    await session.send('Hello.');

    const codes: unknown[] = [];
    for await (const { type } of session.stream())
      if (type === 'content') codes.push(await codeOf(deleteSession(session.sessionId, { store })));
    const messages = session.messages.length;
    await deleteSession(session.sessionId, { store });

    expect(codes).toEqual(['SESSION_BUSY', 'SESSION_BUSY']);
    expect(messages).toBe(2);
  });

  it('gives the session free again when the store cannot remove it', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(() => ({ text: 'Done.' }), { store });
    const remove = () => Promise.reject(new Error('full'));

    await expect(deleteSession(session.sessionId, { store: { ...store, remove } })).rejects.toThrow('full');
    expect(await codeOf(say(session, 'On.'))).toBe('resolved');
  });

  it('checks the id and the options', async () => {
    expect(await codeOf(deleteSession('../x', { store: memoryStore() }))).toBe('VALIDATION_ERROR');
    expect(await codeOf(deleteSession('x', { stor: memoryStore() } as never))).toBe('VALIDATION_ERROR');
  });
});
