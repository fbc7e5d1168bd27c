import { fc, test } from '@fast-check/vitest';
import { toolUsesOf } from '@x/core';
import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../test/support/makers.ts';
import { randomLog, record } from '../../test/support/random-log.ts';
import type { EntryBody } from './entry.ts';
import { apply, emptyState, type SessionState, scopeOf } from './fold.ts';
import { packState, unpackState } from './pack-state.ts';

function folded(log: readonly EntryBody[]): SessionState {
  const state = emptyState();
  for (const body of log) apply(state, body);
  return state;
}

/** Answers the open calls of the last reply, as a resumed run does. */
function settled(state: SessionState): SessionState {
  const own = scopeOf(state, []);
  const reply = own.messages.at(-1);
  const open = own.calls && reply?.role === 'assistant' ? toolUsesOf(reply) : [];
  for (const { id } of open) {
    if (own.calls?.get(id)?.state === 'finished') continue;
    apply(
      state,
      record({
        type: 'tool_finished',
        callId: id,
        result: { output: 'unknown', isError: true, interrupted: 'unknown' },
        durationMs: 0,
      }),
    );
  }
  return state;
}

const prefix = fc.tuple(randomLog, fc.nat()).map(([log, dice]) => log.slice(0, 1 + (dice % log.length)));

describe('apply', () => {
  test.prop([prefix], { numRuns: 500 })(
    'gives a view that every provider takes, after any prefix, once open calls are settled (ZD09)',
    (log) => {
      const state = settled(folded(log));

      expect(faultsOf(scopeOf(state, []).messages)).toEqual([]);
      expect(scopeOf(state, []).calls).toBeUndefined();
    },
  );

  test.prop([randomLog])('keeps every message once and in order, and shows results in call order (Q02)', (log) => {
    const recorded = log.flatMap((body) =>
      body.type === 'record' && body.scope.length === 0 && body.record.type === 'message' ? [body.record.message] : [],
    );

    const { messages } = scopeOf(folded(log), []);

    expect(messages.filter(({ role }) => role !== 'tool')).toEqual(recorded);
    for (const message of messages) {
      if (message.role === 'tool')
        expect(message.content.map(({ output }) => output)).toEqual(message.content.map(({ toolUseId }) => toolUseId));
    }
  });

  test.prop([prefix])('says which run is open, how many turns it had and what they used', (log) => {
    const started = log.findLastIndex(({ type }) => type === 'run_started');
    const isOpen = started >= 0 && !log.slice(started).some(({ type }) => type === 'run_ended');
    const replies = log
      .slice(Math.max(0, started))
      .flatMap((body) =>
        body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'assistant'
          ? [body.record.message]
          : [],
      );

    const state = folded(log);

    expect(state.run !== undefined).toBe(isOpen);
    expect(state.head).toBe(log.length);
    expect(scopeOf(state, []).turns).toBe(replies.length);
    expect(state.runUsage.inputTokens).toBe(replies.reduce((sum, { usage }) => sum + usage.inputTokens, 0));
  });

  test.prop([prefix])('remembers every call id, and nothing of subagents once the run has ended', (log) => {
    const ids = log.flatMap((body) =>
      body.type === 'record' && body.record.type === 'message' && body.record.message.role === 'assistant'
        ? toolUsesOf(body.record.message).map(({ id }) => id)
        : [],
    );

    const state = folded(log);

    expect([...state.usedCallIds]).toEqual(ids);
    if (!state.run) expect([...state.scopes.keys()].filter((key) => key !== '')).toEqual([]);
  });

  it('refuses a log of another format (Q46)', () => {
    const first = { type: 'session_created', format: 2, cwd: '/' } as never;

    expect(() => apply(emptyState(), first)).toThrow(/format 2, this version reads 1/);
  });

  it('the law finds an answer that comes twice, and one that is missing', () => {
    const state = folded([
      record({
        type: 'message',
        message: { ...reply(), content: [{ type: 'tool_use', id: 'a', name: 't', input: {} }] },
      }),
    ]);

    expect(faultsOf(scopeOf(state, []).messages)).not.toEqual([]);
    expect(faultsOf(scopeOf(settled(state), []).messages)).toEqual([]);
  });
});

describe('packState', () => {
  test.prop([prefix])('gives back the same state from bytes, and both go on alike', (log) => {
    const state = folded(log);

    const unpacked = unpackState(packState(state));

    expect(unpacked).toEqual(state);
    expect(settled(unpacked)).toEqual(settled(state));
  });
});

function reply() {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return {
    id: crypto.randomUUID(),
    createdAt: '',
    role: 'assistant',
    content: [],
    provider: 'p',
    model: 'm',
    usage,
    stopReason: 'tool_use',
  } as const;
}
