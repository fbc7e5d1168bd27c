import type { StreamMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { type ISession, memoryStore, type SessionOptions, type SessionStore } from '../../src/index.ts';
import {
  bodiesOf,
  codeOf,
  echoTool,
  faultsOf,
  only,
  read,
  resultOf,
  say,
  scriptedSession,
  toolNamed,
} from '../support/makers.ts';

/** A tool that never ends and ignores its signal; `cleaned` is set when its generator was asked to clean up. */
function deafTool() {
  const state = { signals: [] as AbortSignal[], cleaned: false };
  const tool = toolNamed(
    'deaf',
    async function* (_, { signal }) {
      state.signals.push(signal);
      try {
        yield 'begun';
        await new Promise(() => undefined);
      } finally {
        state.cleaned = true;
      }
    },
    { kind: 'readonly' },
  );
  return { tool, state };
}

const calls = (...names: string[]) => ({
  toolCalls: names.map((name) => ({ name, input: name === 'echo' ? { text: 'a' } : {} })),
});

async function leaveAt(
  session: ISession,
  type: StreamMessage['type'],
  how: (stream: AsyncGenerator<StreamMessage, void, void>) => Promise<unknown>,
) {
  const stream = session.stream();
  for (;;) {
    const step = await stream.next();
    if (step.done || step.value.type === type) return await how(stream);
  }
}

describe('abort()', () => {
  it('ends a run that was asked for and has not begun', async () => {
    const { session, model } = await scriptedSession(() => ({ text: 'Hello.' }));
    await session.send('Hello.');
    const reading = read(session);
    const second = read(session); // is refused, and takes no abort from the first
    session.abort();

    await expect(second).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect(resultOf(await reading)).toMatchObject({ subtype: 'aborted' });
    expect(model.requests).toHaveLength(0);
    expect(resultOf(await read(session))).toMatchObject({ subtype: 'success' }); // the message waits
  });

  it('ends the run with `aborted` although the tool ignores its signal, and the next send works (S13)', async () => {
    const { tool, state } = deafTool();
    const { session } = await scriptedSession([calls('deaf'), { text: 'Done.' }], { tools: [tool] });
    await session.send('Begin.');

    const events: StreamMessage[] = [];
    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'tool_use') setImmediate(() => session.abort());
    }
    const again = await say(session, 'Again.');

    expect(resultOf(events).subtype).toBe('aborted');
    expect(only(events, 'tool_result')).toMatchObject([
      { isError: true, output: expect.stringContaining('effect is not known') },
    ]);
    expect(state.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(resultOf(again).subtype).toBe('success');
    expect(faultsOf(session.messages)).toEqual([]);
  });

  it('cuts off a model that does not answer, and keeps what it has said (Q07)', async () => {
    const { session } = await scriptedSession([{ text: ['Once', ' upon'], hangs: true }]);
    await session.send('Tell.');

    const events: StreamMessage[] = [];
    for await (const event of session.stream()) {
      events.push(event);
      if (event.type === 'content' && event.delta === ' upon') session.abort();
    }

    expect(resultOf(events)).toMatchObject({ subtype: 'aborted', content: 'Once upon', usage: { estimated: true } });
    expect(session.messages.at(-1)).toMatchObject({ stopReason: 'interrupted' });
  });

  it('answers calls that have not begun as not run, in the log too (Q03)', async () => {
    const store = memoryStore();
    const stop = toolNamed('stop', async () => session.abort());
    const { session } = await scriptedSession([calls('stop', 'echo')], { tools: [stop, echoTool()], store });

    const events = await say(session, 'Begin.');

    const finished = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'record' && body.record.type === 'tool_finished' ? [body.record.result.interrupted] : [],
    );
    expect(finished).toEqual(['unknown', 'not_run']);
    expect(only(events, 'tool_result')).toHaveLength(2);
  });

  it('does nothing without a run (S48)', async () => {
    const { session } = await scriptedSession([{ text: 'Done.' }]);

    session.abort();

    expect(resultOf(await say(session, 'Begin.')).subtype).toBe('success');
  });
});

describe('leaving stream() early', () => {
  it.each([
    ['return()', (stream: AsyncGenerator<StreamMessage, void, void>) => stream.return()],
    [
      'throw()',
      (stream: AsyncGenerator<StreamMessage, void, void>) => stream.throw(new Error('reader')).catch(() => undefined),
    ],
  ])('by %s aborts the run, repairs the log and leaves the session usable (S20)', async (_, leave) => {
    const { tool, state } = deafTool();
    const { session } = await scriptedSession([calls('deaf', 'echo'), { text: 'Done.' }], {
      tools: [tool, echoTool()],
    });
    await session.send('Begin.');

    await leaveAt(session, 'tool_result', leave);

    expect(state.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(faultsOf(session.messages)).toEqual([]);
    expect(resultOf(await say(session, 'Again.')).subtype).toBe('success');
  });

  it.each(['turn_start', 'user_message', 'content', 'usage', 'tool_use', 'tool_result', 'turn_end', 'result'] as const)(
    'at %s ends the run in the log and frees the lease (S20)',
    async (type) => {
      const store = memoryStore();
      const { session } = await scriptedSession(() => ({ text: 'a', ...calls('echo') }), {
        tools: [echoTool()],
        maxTurns: 2,
        store,
      });
      await session.send('Begin.');

      await leaveAt(session, type, (stream) => stream.return());

      const log = await bodiesOf(store, session.sessionId);
      expect(log.filter((body) => body.type === 'run_ended')).toHaveLength(1);
      expect(await store.acquire(session.sessionId, 'other', 1000)).toBeDefined();
    },
  );
});

describe('close()', () => {
  it('makes every later call fail with SESSION_CLOSED, and may be called twice (S16)', async () => {
    const { session } = await scriptedSession([{ text: 'Done.' }]);

    await session.close();
    await session.close();

    const later = [session.send('x'), read(session), session.setModel('m'), session.supportedModels()];
    expect(await Promise.all(later.map(codeOf))).toEqual(Array.from({ length: 4 }, () => 'SESSION_CLOSED'));
    expect(() => session.setMaxTurns(1)).toThrow(expect.objectContaining({ code: 'SESSION_CLOSED' }));
    expect(() => session.setPermissionMode('plan')).toThrow(expect.objectContaining({ code: 'SESSION_CLOSED' }));
  });

  it('ends the run under way from inside the loop body, without a deadlock (S16)', async () => {
    const { tool } = deafTool();
    const store = memoryStore();
    const { session } = await scriptedSession([calls('deaf')], { tools: [tool], store });
    await session.send('Begin.');

    for await (const event of session.stream()) if (event.type === 'tool_use') await session.close();

    const log = await bodiesOf(store, session.sessionId);
    expect(log.at(-1)).toMatchObject({ type: 'run_ended', subtype: 'aborted' });
    expect(faultsOf(session.messages)).toEqual([]);
  });

  it('ends the run under way while a reader waits for its next event', async () => {
    const { tool } = deafTool();
    const { session } = await scriptedSession([calls('deaf')], { tools: [tool] });
    await session.send('Begin.');
    const reading = read(session);
    await new Promise((resolve) => setImmediate(resolve));

    await session.close();

    expect(resultOf(await reading).subtype).toBe('aborted');
  });

  it('lets the reader see how the run ended, each event once and in order', async () => {
    const { tool } = deafTool();
    const { session } = await scriptedSession([calls('deaf', 'echo')], { tools: [tool, echoTool()] });
    await session.send('Begin.');

    const types: string[] = [];
    for await (const event of session.stream()) {
      types.push(event.type);
      if (event.type === 'tool_use' && types.filter((type) => type === 'tool_use').length === 1) await session.close();
    }

    expect(types.slice(-6)).toEqual(['tool_use', 'tool_result', 'tool_use', 'tool_result', 'turn_end', 'result']);
  });

  it('is called by a tool of the session itself without a deadlock', async () => {
    const closing: Promise<void>[] = [];
    const leave = toolNamed('leave', async () => {
      closing.push(session.close());
      await closing[0];
    });
    const { session } = await scriptedSession([calls('leave')], { tools: [leave] });

    await say(session, 'Begin.');
    await Promise.all(closing);

    expect(closing).toHaveLength(1);
  });

  const closings: Readonly<Record<string, (close: () => Promise<void>) => Partial<SessionOptions>>> = {
    beforeAgent: (close) => ({ handlers: [{ name: 'h', beforeAgent: () => close() }] }),
    beforeUserMessage: (close) => ({ handlers: [{ name: 'h', beforeUserMessage: () => close() }] }),
    beforeModelRewriteHistory: (close) => ({
      handlers: [{ name: 'h', beforeModelRewriteHistory: (messages) => close().then(() => messages) }],
    }),
    afterAgent: (close) => ({ handlers: [{ name: 'h', afterAgent: () => close() }] }),
    checkAnswer: (close) => ({ handlers: [{ name: 'h', checkAnswer: () => close() }] }),
    onEvent: (close) => ({ handlers: [{ name: 'h', onEvent: () => close() }] }),
    runEnded: (close) => ({ handlers: [{ name: 'h', runEnded: () => close() }] }),
    wrapToolCall: (close) => ({
      handlers: [
        {
          name: 'h',
          async *wrapToolCall(call, next) {
            await close();
            return yield* next(call);
          },
        },
      ],
    }),
    canUseTool: (close) => ({ canUseTool: () => close().then(() => ({ behavior: 'allow' })) }),
    PreToolUse: (close) => ({ hooks: { PreToolUse: [{ hooks: [() => close().then(() => ({}))] }] } }),
    SessionEnd: (close) => ({ hooks: { SessionEnd: [{ hooks: [() => close().then(() => ({}))] }] } }),
  };

  it.each(Object.keys(closings))('is called by %s of the session itself without a deadlock', async (place) => {
    const store = memoryStore();
    let closed = 0;
    const close = () => session.close().then(() => void (closed += 1));
    const script = [calls('echo'), { text: 'Done.' }];
    const { session } = await scriptedSession(script, { tools: [echoTool()], store, ...closings[place]!(close) });

    await say(session, 'Begin.');
    await session.close();

    expect(closed).toBeGreaterThan(0);
    expect((await bodiesOf(store, session.sessionId)).at(-1)).toMatchObject({ type: 'run_ended' });
    expect(faultsOf(session.messages)).toEqual([]);
  });

  it('is what `await using` does, and leaves a store of the host open (S45)', async () => {
    const store = memoryStore();
    const disposed: string[] = [];
    const watched: SessionStore = { ...store, [Symbol.asyncDispose]: async () => void disposed.push('store') };
    const { session } = await scriptedSession([], { store: watched });

    await session[Symbol.asyncDispose]();

    expect(await codeOf(session.send('x'))).toBe('SESSION_CLOSED');
    expect(disposed).toEqual([]);
  });
});
