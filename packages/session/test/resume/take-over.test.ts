import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createSession,
  forkSession,
  memoryStore,
  resumeSession,
  type SessionStore,
  sqliteStore,
} from '../../src/index.ts';
import { codeOf, read, resultOf, scriptedProvider, scriptedSession, toolNamed } from '../support/makers.ts';

let folder = '';
let stores: Record<string, SessionStore>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'take-over-'));
  stores = { memory: memoryStore(), sqlite: sqliteStore({ path: join(folder, 'sessions.db') }) };
});
afterEach(async () => {
  for (const store of Object.values(stores)) await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const CALL = { toolCalls: [{ name: 'wait', input: {} }] };

describe('resumeSession({ takeOver: true })', () => {
  it.each(['memory', 'sqlite'])(
    'goes on with a session that is run elsewhere, whose run is fenced (%s)',
    async (name) => {
      const store = stores[name]!;
      const [inside, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
      const wait = toolNamed('wait', () => (inside.resolve(), gate.promise));
      const { session: first } = await scriptedSession([CALL, { text: 'First.' }], { store, tools: [wait] });
      await first.send('Begin.');
      const reading = read(first);
      await inside.promise;
      const { provider } = scriptedProvider([{ text: 'Second.' }]);
      const options = { provider, model: 'm', store, sessionId: first.sessionId, tools: [wait] };

      const without = await resumeSession({ ...options, takeOver: false });
      const code = await codeOf(read(without));
      await without.close();
      const second = await resumeSession({ ...options, takeOver: true });
      const result = resultOf(await read(second));
      gate.resolve('too late');

      expect(code).toBe('SESSION_BUSY');
      expect(result).toMatchObject({ subtype: 'success', content: 'Second.' });
      expect(resultOf(await reading)).toMatchObject({ subtype: 'error', error: expect.stringContaining('taken over') });
      expect(JSON.stringify(second.messages)).not.toContain('too late');
      await first.close();
      await second.close();
    },
  );

  it('changes nothing where nobody runs the session', async () => {
    const { session, model: _ } = await scriptedSession([{ text: 'Hello.' }], { store: stores['memory']! });
    await session.send('Hello.');
    const { provider } = scriptedProvider([{ text: 'Hello again.' }]);
    const { sessionId } = session;

    const second = await resumeSession({ provider, model: 'm', store: stores['memory']!, sessionId, takeOver: true });

    expect(resultOf(await read(second))).toMatchObject({ subtype: 'success', content: 'Hello again.' });
    await second.close();
    await session.close();
  });

  it('is refused for another type, and where no session is resumed', async () => {
    const { provider } = scriptedProvider([]);
    const options = { provider, model: 'm', store: stores['memory']! };
    const refused = { code: 'VALIDATION_ERROR', field: 'takeOver' };

    await expect(resumeSession({ ...options, sessionId: 's', takeOver: 'yes' as never })).rejects.toMatchObject(
      refused,
    );
    await expect(createSession({ ...options, takeOver: true } as never)).rejects.toMatchObject(refused);
    await expect(forkSession({ ...options, sessionId: 's', takeOver: true } as never)).rejects.toMatchObject(refused);
    expect(await codeOf(resumeSession({ ...options, sessionId: 'nobody', takeOver: true }))).toBe('SESSION_NOT_FOUND');
  });
});

it('a store that gives no lease that is held says so to whoever takes over', async () => {
  const held = memoryStore();
  const store: SessionStore = { ...held, acquire: (id, owner, ttlMs) => held.acquire(id, owner, ttlMs) };
  const { provider } = scriptedProvider([]);
  const { sessionId } = await createSession({ provider, model: 'm', store });
  await store.acquire(sessionId, 'another', 60_000);

  expect(await codeOf(resumeSession({ provider, model: 'm', store, sessionId, takeOver: true }))).toBe('SESSION_BUSY');
});
