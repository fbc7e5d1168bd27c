import { describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionStore } from '../../src/index.ts';
import { storedLog } from '../support/logs.ts';
import { echoTool, only, read, resultOf, say, scriptedProvider } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { created, title } from '../support/store-values.ts';

/** Sessions of one store; each has had one run, in which it was said which one it is. */
async function sessionsOf(count: number, store: SessionStore = memoryStore()) {
  const { provider } = scriptedProvider(() => ({ text: ['Do', 'ne.'] }));
  const sessions = await Promise.all(
    Array.from({ length: count }, () => createSession({ provider, model: 'm', store, allowedTools: [] })),
  );
  for (const [index, session] of sessions.entries()) await say(session, `hello ${index}`);
  return sessions;
}

/** A store that cannot be read at once. */
function withoutNow(): SessionStore {
  const { now: _, ...store } = memoryStore();
  return store;
}

/** A store that counts the entries read from it, at once or not. */
function counting(store: SessionStore) {
  const count = { entries: 0 };
  const counted: SessionStore = {
    ...store,
    async *read(...args) {
      for await (const entry of store.read(...args)) {
        count.entries += 1;
        yield entry;
      }
    },
    now: {
      ...store.now!,
      *read(...args) {
        for (const entry of store.now!.read(...args)) {
          count.entries += 1;
          yield entry;
        }
      },
    },
  };
  return { count, store: counted };
}

describe.each([
  ['that can be read at once', memoryStore],
  ['that cannot', withoutNow],
])('many idle sessions on one store %s', (_what, make) => {
  it('keep their messages and go on where they were', async () => {
    const sessions = await sessionsOf(100, make());
    const before = sessions.map((session) => session.messages);

    for (const session of sessions) await say(session, 'again');

    for (const [index, session] of sessions.entries()) {
      expect(before[index]).toMatchObject([
        { content: [{ text: `hello ${index}` }] },
        { content: [{ text: 'Done.' }] },
      ]);
      expect(session.messages.slice(0, 2)).toEqual(before[index]);
      expect(session.messages).toHaveLength(4);
    }
  });

  it('do not take the messages of one whose run is under way', async () => {
    const others = await sessionsOf(40, make());
    const running = others.pop()!;
    await running.send('again');
    const stream = running.stream();
    await stream.next();
    const { length } = running.messages;
    for (const other of others) await say(other, 'meanwhile');
    await stream.next();

    const during = running.messages;
    for await (const _ of stream) continue;

    expect([length, ...during.map(({ role }) => role)]).toEqual([2, 'user', 'assistant', 'user']);
    expect(running.messages).toHaveLength(4);
  });

  it('survive a stream that had nothing to do', async () => {
    const sessions = await sessionsOf(40, make());

    for (const session of sessions) await read(session).catch(() => undefined);

    expect(sessions.map(({ messages }) => messages.length)).toEqual(sessions.map(() => 2));
    expect(only(await say(sessions[0]!, 'again'), 'result')).toHaveLength(1);
  });
});

describe('an idle session', () => {
  it('holds nothing of its log once others were used, reads it when it is asked, and then keeps it again', async () => {
    const { store, count } = counting(memoryStore());
    const [first, ...others] = await sessionsOf(40, store);
    count.entries = 0;

    const read = [others.at(-1)!, first!, first!].map(({ messages }) => {
      const entries = count.entries;
      count.entries = 0;
      return [messages.length, entries > 0];
    });

    expect(read).toEqual([
      [2, false],
      [2, true],
      [2, false],
    ]);
  });

  it('keeps its settings', async () => {
    const store = memoryStore();
    const { provider, models } = scriptedProvider(() => ({ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }));
    const tools = [echoTool()];
    const session = await createSession({
      provider,
      model: 'm',
      store,
      tools,
      canUseTool: async () => ({ behavior: 'deny', message: 'no' }),
    });
    await session.setModel('other');
    session.setMaxTurns(2);
    session.setPermissionMode('bypassPermissions');
    await sessionsOf(40, store);

    const events = await say(session, 'hello');

    expect(resultOf(events).subtype).toBe('max_turns');
    expect(only(events, 'tool_result').map(({ output }) => output)).toEqual(['a', 'a']);
    expect(models.at(-1)!.name).toBe('other');
    expect(models.at(-1)!.requests).toHaveLength(2);
  });

  it('shows what a run under way adds, also when it had to be read first', async () => {
    const [first] = await sessionsOf(40);
    await first!.send('again');
    const seen: number[] = [first!.messages.length];

    for await (const event of first!.stream()) if (event.type === 'content') seen.push(first!.messages.length);

    expect(seen).toEqual([2, 3, 3]);
    expect(first!.messages).toHaveLength(4);
  });

  it('sees in its next run what another owner has added meanwhile, and reads no more than that', async () => {
    const { store, count } = counting(memoryStore());
    const [one] = await sessionsOf(1, store);
    const { session: other } = await resumed(store, one!.sessionId, () => ({ text: 'Other.' }));
    await say(other, 'from elsewhere');
    count.entries = 0;

    await say(one!, 'again');

    expect(count.entries).toBe(1 + 4); // one that says that it is the same log still
    expect(one!.messages).toHaveLength(6);
    expect(one!.messages.slice(0, 4)).toEqual(other.messages);
  });
});

describe('a long session', () => {
  const LENGTH = 500;
  const long = () => storedLog([created('/tmp'), ...Array.from({ length: LENGTH - 1 }, () => title('a'))]);

  it('is resumed, and takes a message, without its log being read', async () => {
    const { store, count } = counting(await long());

    const { session, model } = await resumed(store, 's', [{ text: 'Done.' }]);
    await session.send('hello');
    const before = count.entries;
    await read(session);

    expect(before).toBeLessThan(5);
    expect(count.entries).toBeGreaterThanOrEqual(LENGTH);
    expect(model.requests[0]?.instruction).toContain('/tmp;');
    expect(session.messages).toHaveLength(2);
  });

  it('is read when it is resumed, on a store that cannot be read at once', async () => {
    const { now: _, ...store } = await long();

    const { session } = await resumed(store, 's', () => ({ text: 'Done.' }));
    await say(session, 'hello');

    expect(session.title).toBe('a');
    expect(session.messages).toHaveLength(2);
  });

  it('that is damaged says so when it is read, naming itself', async () => {
    const store = await long();
    const broken = { ...store, now: { ...store.now!, read: () => [{ seq: 2, at: '', epoch: 1, body: title('b') }] } };

    const { session } = await resumed(broken, 's', []);

    expect(() => session.messages).toThrow(/session s has no entry 1/);
  });
});
