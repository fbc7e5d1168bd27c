import { AgentError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { memoryStore, type SessionEvent, type SessionStore, watchSession } from '../../src/index.ts';
import { followed, isRecord, toldRecords, untilResult } from '../support/followed.ts';
import { codeOf, echoTool, say, scriptedSession, toolNamed } from '../support/makers.ts';

const cursorsOf = (events: readonly SessionEvent[]) => events.filter(isRecord).map(({ cursor }) => cursor);

/** A session that calls its tool so many times in one run. */
async function longRun(turns: number, store: SessionStore = memoryStore()) {
  const calls = Array.from({ length: turns }, (_, at) => ({
    text: 'Again.',
    toolCalls: [{ id: `c${at}`, name: 'echo', input: { text: 'x' } }],
  }));
  return await scriptedSession([...calls, { text: 'Done.' }], { store, tools: [echoTool()], maxTurns: turns + 1 });
}

describe('a reader that is slower than the run', () => {
  it('goes on from the log once more events were made than wait for it', async () => {
    const { session } = await longRun(300);
    const slow = session.events();
    const first = slow.next();

    const seen = await followed(session, () => say(session, 'Begin.'));
    const begun = await first;
    const rest = await untilResult(slow);

    expect(cursorsOf(seen).length).toBeGreaterThan(1024);
    const events = begun.done ? rest : [begun.value, ...rest];
    expect(cursorsOf(events)).toEqual(cursorsOf(seen));
    expect(events.filter((event) => !isRecord(event)).length).toBeLessThan(2); // live events were missed
    await session.close();
  });
});

describe('a reader that begins in the middle of a long run', () => {
  it('knows the run and the tools of what follows', async () => {
    const store = memoryStore();
    const { session } = await longRun(300, store);
    await say(session, 'Begin.');
    const all = await toldRecords(store, session.sessionId);
    const at = all.findLastIndex(({ event }) => event.type === 'tool_started');

    const rest = await toldRecords(store, session.sessionId, all[at]!.cursor);

    expect(rest).toEqual(all.slice(at + 1));
    expect(rest[0]).toMatchObject({ runId: all[0]!.runId, event: { type: 'tool_result', name: 'echo' } });
    await session.close();
  });
});

describe('a record that is stored apart', () => {
  it('is told whole, to those who were there and to those who come later', async () => {
    const large = 'x'.repeat(400 * 1024);
    const store = memoryStore();
    const tools = [toolNamed('fetch', async () => large)];
    const script = [{ toolCalls: [{ id: 'f', name: 'fetch' }] }, { text: 'Done.' }];
    const { session } = await scriptedSession(script, { store, tools });

    const seen = await followed(session, () => say(session, 'Begin.'));
    const later = await toldRecords(store, session.sessionId);

    for (const events of [seen, later]) {
      const result = events.find(({ event }) => event.type === 'tool_result');
      expect(result?.event).toMatchObject({ output: large });
    }
    const from = later.find(({ event }) => event.type === 'tool_result')!.cursor;
    expect(cursorsOf(await toldRecords(store, session.sessionId, from))).toHaveLength(2);
    await session.close();
  });
});

describe('a store that fails', () => {
  /** Fails at reads behind the first entry, as often as `times` says. */
  function failing(inner: SessionStore, times: number, retryable: boolean): SessionStore {
    let left = times;
    const { changes: _, ...rest } = inner; // looked at blindly
    return {
      ...rest,
      read: (sessionId, range) => {
        if (range?.upTo === 1 || left === 0) return inner.read(sessionId, range);
        left -= 1;
        throw new AgentError('The disk is slow', { code: 'STORE_FAILED', retryable });
      },
    };
  }

  it('is asked again while it is slow, before the end of the log and behind it', async () => {
    const inner = memoryStore();
    const { session } = await longRun(1, inner);
    const { sessionId } = session;
    const early = untilResult(watchSession({ store: failing(inner, 1, true), sessionId }));
    let reads = 0;
    const slow = failing(inner, 0, true);
    const later = {
      ...slow,
      read: (...given: Parameters<SessionStore['read']>) => {
        if (++reads === 3) throw new AgentError('The disk is slow', { code: 'STORE_FAILED', retryable: true });
        return slow.read(...given);
      },
    };
    const behind = untilResult(watchSession({ store: later, sessionId }));

    await say(session, 'Begin.');

    const expected = cursorsOf(await toldRecords(inner, sessionId));
    expect(cursorsOf(await early)).toEqual(expected);
    expect(cursorsOf(await behind)).toEqual(expected);
    expect(reads).toBeGreaterThan(3);
    await session.close();
  });

  it('ends the reading with its error when it will not work again', async () => {
    const inner = memoryStore();
    const { session } = await longRun(1, inner);
    await say(session, 'Begin.');

    const store = failing(inner, 1, false);

    expect(await codeOf(watchSession({ store, sessionId: session.sessionId }).next())).toBe('STORE_FAILED');
    await session.close();
  });
});
