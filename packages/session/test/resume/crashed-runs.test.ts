import type { Tool, ToolResult } from '@x/core';
import type { Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { memoryStore, type ResumeOptions, type SessionStore } from '../../src/index.ts';
import { bodiesOf, read, resultOf, say, scriptedProvider, scriptedSession, toolNamed } from '../support/makers.ts';
import { abandonedAt, expiring, finishedIn, resumed } from '../support/resumed.ts';
import { newSession, sendTo, served } from '../support/served.ts';

const calling: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool' ? { text: 'Done.' } : { toolCalls: [{ id: 'c', name: 'work' }] };

/** A tool in whose execution the process ends, as far as anybody can see. */
function deadly(starts: string[], effect: Tool['effect'] = 'pure'): Tool {
  return {
    ...toolNamed('work', async () => 'worked', { kind: 'readonly', effect }),
    async *execute(_, { idempotencyKey }) {
      starts.push(idempotencyKey);
      return await new Promise<ToolResult>(() => undefined);
    },
  };
}

/** Goes on with the session until its process ends: in that handler's method, when that is called for the `nth` time. */
async function crash(
  store: SessionStore,
  sessionId: string,
  {
    at = 'beforeModelRewriteHistory',
    nth = 1,
    script = [],
    ...options
  }: Partial<ResumeOptions> & { at?: 'beforeAgent' | 'beforeModelRewriteHistory'; nth?: number; script?: Script },
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  let times = 0;
  const method = async <T>(value: T): Promise<T> => {
    times += 1;
    if (times < nth) return value;
    ended.resolve();
    return await new Promise(() => undefined);
  };
  const { session } = await resumed(store, sessionId, script, {
    handlers: [{ name: 'deadly', [at]: method }],
    ...options,
  });
  const stream = session.stream();
  Array.fromAsync({ [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }).then(
    () => ended.reject(new Error('The run has ended')),
    ended.reject,
  );
  await ended.promise;
}

describe('a call in whose execution the process ends', () => {
  it.each(['pure', 'idempotent'] as const)(
    'is begun twice at most, also where it may be repeated: %s (V33)',
    async (effect) => {
      const starts: string[] = [];
      const tool = deadly(starts, effect);
      const { store, sessionId } = await abandonedAt({ toolCalls: [{ id: 'c', name: 'work' }] }, tool, {});
      const second = await resumed(store, sessionId, calling, { tools: [tool], allowedTools: ['work'] });
      const reading = second.session.stream();
      while (starts.length === 0) await Promise.race([reading.next(), new Promise((go) => setImmediate(go))]);

      const third = await resumed(store, sessionId, calling, { tools: [tool], allowedTools: ['work'] });
      const events = await read(third.session);

      expect(starts).toHaveLength(1); // the first start was that of the session that was abandoned
      expect(finishedIn(await bodiesOf(store, sessionId))).toMatchObject([
        { result: { isError: true, interrupted: 'unknown', output: expect.stringContaining('begun twice') } },
      ]);
      expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'Done.' });
    },
  );

  it('is settled by `reconcile` instead of a third start', async () => {
    const starts: string[] = [];
    const tool = deadly(starts);
    const { store, sessionId } = await abandonedAt({ toolCalls: [{ id: 'c', name: 'work' }] }, tool, {});
    const second = await resumed(store, sessionId, calling, { tools: [tool], allowedTools: ['work'] });
    const reading = second.session.stream();
    while (starts.length === 0) await Promise.race([reading.next(), new Promise((go) => setImmediate(go))]);

    const reconcile = async () => ({ output: 'It has worked.', isError: false });
    const third = await resumed(store, sessionId, calling, { tools: [tool], allowedTools: ['work'], reconcile });
    await read(third.session);

    expect(finishedIn(await bodiesOf(store, sessionId))).toMatchObject([{ result: { output: 'It has worked.' } }]);
  });

  it('is begun again however often workers leave in the middle of it in good order', async () => {
    const store = memoryStore();
    const sessionId = await newSession(store);
    await sendTo(store, sessionId, 'Work.');
    let starts = 0;
    let started = Promise.withResolvers<void>();
    const tool = toolNamed(
      'work',
      async (_, { signal }) => {
        starts += 1;
        if (starts === 5) return 'worked';
        started.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      },
      { kind: 'readonly' },
    );
    const { provider } = scriptedProvider(calling);
    const options = () => ({ provider, model: 'm', tools: [tool], allowedTools: ['work'], maxCrashes: 2 });
    for (let deployment = 0; deployment < 4; deployment++) {
      const worker = await served(store, { options });
      await started.promise;
      started = Promise.withResolvers();
      await worker[Symbol.asyncDispose]();
    }

    await using last = await served(store, { options });
    await last.engine.idle();

    expect(starts).toBe(5);
    const bodies = await bodiesOf(store, sessionId);
    expect(finishedIn(bodies)).toMatchObject([{ result: { output: 'worked' } }]);
    expect(bodies.at(-1)).toMatchObject({ type: 'run_ended', subtype: 'success' });
    expect(bodies.filter(({ type }) => type === 'run_left')).toHaveLength(4);
  });
});

describe('a run whose process ends again and again', () => {
  it.each([
    [5, {}],
    [2, { maxCrashes: 2 }],
  ])('ends with RUN_CRASHES after %s times without a reply or a result', async (times, options) => {
    const store = expiring(memoryStore());
    const { session } = await scriptedSession([], { store });
    await session.send('Begin.');
    for (let crashes = 0; crashes < times; crashes++) await crash(store, session.sessionId, {});

    const { session: last, model } = await resumed(store, session.sessionId, [{ text: 'Hello.' }], options);
    const events = await read(last);

    expect(events).toMatchObject([
      { type: 'error', code: 'RUN_CRASHES', message: expect.stringContaining(`${times} times`) },
      { type: 'result', subtype: 'error' },
    ]);
    expect(model.requests).toEqual([]);
    expect((await bodiesOf(store, session.sessionId)).at(-1)).toMatchObject({ error: { code: 'RUN_CRASHES' } });
    expect(resultOf(await say(last, 'Are you well?'))).toMatchObject({ subtype: 'success', content: 'Hello.' });
  });

  it('that has recorded nothing yet takes its message out of the way of the others', async () => {
    const store = expiring(memoryStore());
    const { session } = await scriptedSession([], { store });
    await session.send('Begin.');
    for (let crashes = 0; crashes < 2; crashes++) await crash(store, session.sessionId, { at: 'beforeAgent' });
    await session.send('Are you well?');

    const { session: last } = await resumed(store, session.sessionId, [{ text: 'Yes.' }], { maxCrashes: 2 });
    const first = resultOf(await read(last));
    const second = resultOf(await read(last));

    expect(first).toMatchObject({ subtype: 'error', error: expect.stringContaining('2 times') });
    expect(second).toMatchObject({ subtype: 'success', content: 'Yes.' });
    expect(last.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('begins to count again with every reply and every result', async () => {
    const store = expiring(memoryStore());
    const work = toolNamed('work', async () => 'worked', { kind: 'readonly' });
    const { session } = await scriptedSession([], { store });
    await session.send('Begin.');
    const script = () => ({ toolCalls: [{ name: 'work' }] });
    for (let crashes = 0; crashes < 6; crashes++)
      await crash(store, session.sessionId, { nth: 2, script, tools: [work], allowedTools: ['work'], maxCrashes: 2 });

    const { session: last } = await resumed(store, session.sessionId, [{ text: 'Done.' }], { maxCrashes: 2 });

    expect(resultOf(await read(last))).toMatchObject({ subtype: 'success', content: 'Done.' });
  });
});
