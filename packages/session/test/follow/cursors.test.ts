import { describe, expect, it } from 'vitest';
import { memoryStore, type SessionStore, watchSession } from '../../src/index.ts';
import { assertCursor } from '../../src/internal.ts';
import { followed, isRecord, lineOf, untilResult } from '../support/followed.ts';
import { codeOf, say, scriptedSession } from '../support/makers.ts';

const make = (store: SessionStore) => scriptedSession([{ text: 'Done.' }], { store });

describe('a place to begin', () => {
  it.each([
    ['no cursor', () => 'yesterday'],
    ['empty', () => ''],
    ['a number alone', () => '3'],
    ['of another session', (_own: string, other: string) => other],
    ['behind the end of the log', (own: string) => own.replace(/^\d+/, '9999')],
  ])('is refused when it is %s', async (_name, cursor) => {
    const store = memoryStore();
    const [{ session }, { session: other }] = [await make(store), await make(store)];
    const [own, others] = [
      await followed(session, () => say(session, 'Begin.')),
      await followed(other, () => say(other, 'Begin.')),
    ];

    const from = cursor(own[3]!.cursor, others[3]!.cursor);

    expect(await codeOf(session.events({ from }).next())).toBe('INVALID_CURSOR');
    expect(await codeOf(assertCursor(store, session.sessionId, from))).toBe('INVALID_CURSOR');
    expect(await codeOf(assertCursor(store, session.sessionId, own[3]!.cursor))).toBe('resolved');
    expect(await codeOf(assertCursor(store, session.sessionId, own[0]!.cursor.replace(/^\d+/, '0')))).toBe('resolved');
    await Promise.all([session.close(), other.close()]);
  });

  it('is refused in a log that holds what no version writes', async () => {
    const sound = memoryStore();
    await sound.create('s1', { type: 'session_created', format: 1, cwd: '/' });
    await sound.create('s2', { type: 'session_created', format: 99 as 1, cwd: '/' });
    const damaged = async function* () {
      yield { seq: 1, at: new Date().toISOString(), epoch: 0, body: null as never };
    };
    const store = { ...sound, read: (id: string) => (id === 's1' ? damaged() : sound.read(id)) };

    expect(await codeOf(watchSession({ store, sessionId: 's1' }).next())).toBe('LOG_DAMAGED');
    expect(await codeOf(watchSession({ store, sessionId: 's2' }).next())).toBe('LOG_TOO_NEW');
  });

  it('is refused with a missing session and with options that are not there', async () => {
    const store = memoryStore();
    const { session } = await make(store);

    expect(await codeOf(watchSession({ store, sessionId: 'nobody' }).next())).toBe('SESSION_NOT_FOUND');
    await expect(watchSession({ store, sessionId: 's', since: 3 } as never).next()).rejects.toThrow('since');
    await expect(session.events({ from: 3 } as never).next()).rejects.toThrow('from');
    await session.close();
    await expect(session.events().next()).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });
});

describe('a fork', () => {
  it('tells what it has copied as its own, then what is new; cursors of its source are of another log', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession([{ text: 'One.' }, { text: 'Two.' }], { store });
    const before = await followed(session, () => say(session, 'Begin.'));
    const fork = await session.fork();

    const [after] = await Promise.all([untilResult(fork.events(), 2), say(fork, 'Go on.')]);

    const told = after.filter(isRecord);
    const copied = before.filter(isRecord).map(lineOf);
    expect(told.map(lineOf)).toEqual([...copied, 'run_started', 'user_message Go on.', 'message', 'result']);
    expect(new Set(told.map(({ sessionId }) => sessionId))).toEqual(new Set([fork.sessionId]));
    expect(await codeOf(fork.events({ from: before.at(-1)!.cursor }).next())).toBe('INVALID_CURSOR');
    for (const one of [session, fork]) await one.close();
  });
});

describe('a log that is not whole', () => {
  it('is told as far as it goes: a result without its call, an end without its run, a note that is no decision', async () => {
    const store = memoryStore();
    await store.create('s1', { type: 'session_created', format: 1, cwd: '/' });
    const { epoch } = (await store.acquire('s1', 'me', 60_000))!;
    const result = { output: 'ran', isError: false };
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const note = (name: string, data: unknown) => ({ type: 'note' as const, name, data });
    const records = [
      { type: 'tool_finished' as const, callId: 'c', result, durationMs: 1 },
      note('permission:c', null),
      note('permission:c', 'no'),
      note('todos', {}),
    ];
    await store.append('s1', { epoch, head: 1 }, [
      ...records.map((record) => ({ type: 'record' as const, scope: [], record })),
      { type: 'run_left', runId: 'r' },
      { type: 'run_ended', runId: 'r', subtype: 'error', usage, error: { code: 'X', message: 'It broke' } },
    ]);

    const told = await untilResult(watchSession({ store, sessionId: 's1' }));

    expect(told.map(({ event }) => event)).toEqual([
      { type: 'tool_result', id: 'c', name: '', output: 'ran', isError: false, durationMs: 1 },
      { type: 'result', subtype: 'error', messageId: '', usage, turns: 0, error: 'It broke', code: 'X' },
    ]);
    expect(told[1]).not.toHaveProperty('runId');
  });
});
