import type { AgentEvent, AgentHandler, ToolNext, ToolResult } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answering, callOf, nextTurn, progress, run, tool, unknownCall } from '../test/values.ts';
import { toolWrapOf } from './fold-tool-wraps.ts';

const plain = () => callOf(tool('plain', { streaming: false }));
const streaming = () => callOf(tool('streams', { streaming: true }));
const wrapped = (handler: Omit<AgentHandler, 'name'>, call = plain(), next: ToolNext = answering()) =>
  toolWrapOf({ name: 'h', ...handler })!(call, next, run());
const refusal: ToolResult = { output: 'refused', isError: true };

/** An innermost layer whose end can be seen. */
function watched(...deltas: readonly string[]) {
  const state = { started: 0, cleaned: 0 };
  const next: ToolNext = async function* () {
    state.started += 1;
    try {
      for (const delta of deltas) yield progress(delta);
      return { output: 'ok', isError: false };
    } finally {
      state.cleaned += 1;
    }
  };
  return { next, state };
}

describe('toolWrapOf', () => {
  it('is nothing for a handler without tool wraps', () => expect(toolWrapOf({ name: 'x' })).toBeUndefined());

  it.each([
    ['a plain tool', plain],
    ['a streaming tool', streaming],
    ['an unknown tool', unknownCall],
  ])('applies a narrow form that stands alone to %s, so that no guard is walked around', async (_what, call) => {
    const { next, state } = watched();

    const invokable = await collect(wrapped({ wrapInvokableToolCall: async () => refusal }, call(), next));
    // oxlint-disable-next-line require-yield
    const streamable = await collect(
      wrapped(
        {
          async *wrapStreamableToolCall() {
            return refusal;
          },
        },
        call(),
        next,
      ),
    );

    expect([invokable.value, streamable.value]).toEqual([refusal, refusal]);
    expect(state.started).toBe(0);
  });

  it('goes by the kind of the tool when both narrow forms are there', async () => {
    const both: Omit<AgentHandler, 'name'> = {
      wrapInvokableToolCall: async () => ({ output: 'invokable', isError: false }),
      // oxlint-disable-next-line require-yield
      async *wrapStreamableToolCall() {
        return { output: 'streamable', isError: false };
      },
    };

    expect((await collect(wrapped(both, plain()))).value.output).toBe('invokable');
    expect((await collect(wrapped(both, streaming()))).value.output).toBe('streamable');
    expect((await collect(wrapped(both, unknownCall()))).value.output).toBe('invokable');
  });

  it('ignores the narrow forms beside wrapToolCall', async () => {
    const handler: Omit<AgentHandler, 'name'> = {
      wrapToolCall: (call, next) => next(call),
      wrapInvokableToolCall: async () => refusal,
    };

    expect((await collect(wrapped(handler))).value.output).toBe('ok');
  });
});

describe('the promise form', () => {
  it('shows progress while the promise is pending, one event at a time', async () => {
    const order: string[] = [];
    const next: ToolNext = async function* () {
      for (const delta of ['a', 'b']) {
        order.push(`give ${delta}`);
        yield progress(delta);
      }
      order.push('end');
      return { output: 'ok', isError: false };
    };
    const stream = wrapped(
      {
        wrapInvokableToolCall: async (call, inner) => {
          const result = await inner(call);
          order.push('wrap got its result');
          return result;
        },
      },
      streaming(),
      next,
    );

    const first = await stream.next();
    await nextTurn();
    const before = [...order];
    await collect(stream);

    expect(first.value).toEqual(progress('a'));
    expect(before).toEqual(['give a']); // the tool is pulled again when the event was read
    expect(order).toEqual(['give a', 'give b', 'end', 'wrap got its result']);
  });

  it('may change the call and the result, answer without the tool, or call it twice', async () => {
    const seen: unknown[] = [];
    const next: ToolNext = async function* (call) {
      seen.push(call.input);
      yield progress(String(call.input));
      return { output: `${String(call.input)}!`, isError: false };
    };

    const { events, value } = await collect(
      wrapped(
        {
          wrapInvokableToolCall: async (call, inner) => {
            const one = await inner({ ...call, input: 'one' });
            const two = await inner({ ...call, input: 'two' });
            return { output: one.output + two.output, isError: false };
          },
        },
        plain(),
        next,
      ),
    );

    expect(seen).toEqual(['one', 'two']);
    expect(events).toEqual([progress('one'), progress('two')]);
    expect(value.output).toBe('one!two!');
  });

  it('may call it twice at the same time, and no event is lost', async () => {
    const next: ToolNext = async function* (call) {
      for (let index = 0; index < 3; index++) yield progress(`${String(call.input)}${index}`);
      return { output: String(call.input), isError: false };
    };

    const { events, value } = await collect(
      wrapped(
        {
          wrapInvokableToolCall: async (call, inner) => {
            const both = await Promise.all(['a', 'b'].map((input) => inner({ ...call, input })));
            return { output: both.map(({ output }) => output).join(''), isError: false };
          },
        },
        plain(),
        next,
      ),
    );

    expect(events).toHaveLength(6);
    for (const letter of ['a', 'b']) {
      const own = events.filter((event) => event.type === 'tool_progress' && event.delta.startsWith(letter));
      expect(own).toEqual([0, 1, 2].map((index) => progress(`${letter}${index}`)));
    }
    expect(value.output).toBe('ab');
  });

  it('sees the failure of what is inside, and either a result or an error', async () => {
    const failing: ToolNext = async function* () {
      yield progress('a');
      throw new Error('inside');
    };
    const seen: unknown[] = [];
    const handler: Omit<AgentHandler, 'name'> = {
      wrapInvokableToolCall: (call, inner) => inner(call).catch((error: Error) => (seen.push(error.message), refusal)),
    };

    expect((await collect(wrapped(handler, plain(), failing))).value).toEqual(refusal);
    expect(seen).toEqual(['inside']);
    await expect(
      collect(wrapped({ wrapInvokableToolCall: (call, inner) => inner(call) }, plain(), failing)),
    ).rejects.toThrow('inside');
  });

  it('passes on its own failure, thrown late or at once', async () => {
    const late = wrapped({
      wrapInvokableToolCall: async (call, inner) => (await inner(call), Promise.reject(new Error('late'))),
    });
    const atOnce = wrapped({
      wrapInvokableToolCall: () => {
        throw new Error('at once');
      },
    });

    await expect(collect(late)).rejects.toThrow('late');
    await expect(collect(atOnce)).rejects.toThrow('at once');
  });

  it('ends the inner stream when it is left early', async () => {
    const { next, state } = watched('a', 'b');
    const stream = wrapped({ wrapInvokableToolCall: (call, inner) => inner(call) }, streaming(), next);
    await stream.next();

    await stream.return(refusal);

    expect(state).toEqual({ started: 1, cleaned: 1 });
  });

  it('runs nothing any more once its reader has left', async () => {
    const gate = Promise.withResolvers<void>();
    const { next, state } = watched('a', 'b');
    const outcomes: unknown[] = [];
    const slow: AgentHandler['wrapInvokableToolCall'] = async (call, inner) => {
      await inner(call).catch(() => undefined);
      await gate.promise; // a person is asked, say
      outcomes.push(await inner(call).catch((error: { code?: string }) => error.code));
      return refusal;
    };
    const stream = wrapped({ wrapInvokableToolCall: slow }, plain(), next);
    await stream.next();

    await stream.return(refusal);
    gate.resolve();
    await nextTurn();

    expect(state).toEqual({ started: 1, cleaned: 1 });
    expect(outcomes).toEqual(['ABORTED']);
  });

  it('ends what it has started and not waited for', async () => {
    const gate = Promise.withResolvers<void>();
    const state = { cleaned: false };
    const slow: ToolNext = async function* () {
      try {
        await gate.promise;
        yield progress('late');
        yield progress('later');
        return { output: 'too late', isError: false };
      } finally {
        state.cleaned = true;
      }
    };
    const impatient: AgentHandler['wrapInvokableToolCall'] = (call, inner) =>
      Promise.race([inner(call), Promise.resolve(refusal)]);

    const { value } = await collect(wrapped({ wrapInvokableToolCall: impatient }, plain(), slow));
    gate.resolve();
    await nextTurn();

    expect(value).toEqual(refusal);
    expect(state.cleaned).toBe(true);
  });

  it('keeps the back-pressure: nothing is given that nobody takes', async () => {
    const given: string[] = [];
    const next: ToolNext = async function* () {
      for (let index = 0; index < 100; index++) {
        given.push(`${index}`);
        yield progress(`${index}`);
      }
      return { output: 'ok', isError: false };
    };
    const stream = wrapped({ wrapInvokableToolCall: (call, inner) => inner(call) }, streaming(), next);

    const taken: AgentEvent[] = [];
    for (let index = 0; index < 3; index++) taken.push((await stream.next()).value as AgentEvent);
    await nextTurn();

    expect(taken).toEqual(['0', '1', '2'].map(progress));
    expect(given.length).toBeLessThanOrEqual(4);
    await stream.return(refusal);
  });
});

describe('the streaming form', () => {
  it('may transform the stream, or end it early, which ends the tool', async () => {
    const { next, state } = watched('a', 'b', 'c');

    const { events, value } = await collect(
      wrapped(
        {
          async *wrapStreamableToolCall(call, inner) {
            for await (const event of inner(call)) {
              if (event.type === 'tool_progress') yield progress(event.delta.toUpperCase());
              break;
            }
            return refusal;
          },
        },
        streaming(),
        next,
      ),
    );

    expect(events).toEqual([progress('A')]);
    expect(value).toEqual(refusal);
    expect(state).toEqual({ started: 1, cleaned: 1 });
  });
});
