import { AgentError, type AgentEvent, type AgentHandler, RateLimitError, type StreamMessage } from '@x/core';
import { type Script, type ScriptedReply, scriptedModel } from '@x/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CustomProvider, createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { bodiesOf, echoTool, only, read, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { expiring, resumed } from '../support/resumed.ts';
import { innermost, notificationsIn, watched } from '../support/watched.ts';

const overloaded = (facts: object = {}) =>
  Object.assign(new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true }), facts);

/** Waits are as short as they may be. */
const noJitter = () => vi.spyOn(Math, 'random').mockReturnValue(0);
afterEach(() => vi.restoreAllMocks());

/** One run of a script, and everything that is told of it. */
async function played(script: Script, options: Partial<SessionOptions> = {}) {
  const { handler, events: seen } = watched();
  const { session, model } = await scriptedSession(script, { ...options, handlers: [handler] });
  const events = await say(session, 'Begin.');
  return { session, model, events, seen, result: resultOf(events) };
}

describe('a run that goes round in circles', () => {
  const fails = toolNamed('fails', async () => Promise.reject(new Error('it broke')));
  const failing = { toolCalls: [{ name: 'fails' }] };

  it.each<[string, object, SessionOptions['tools'], Partial<SessionOptions>]>([
    ['a tool that fails', { name: 'fails' }, [fails], {}],
    ['a tool that does not exist', { name: 'missing' }, [], {}],
    ['an input that does not fit', { name: 'echo', input: { text: 7 } }, [echoTool()], {}],
    ['a call that is denied', { name: 'fails' }, [fails], { permissionMode: 'plan' }],
  ])('ends at the fifth identical failure with TOOL_LOOP: %s', async (_, call, tools, options) => {
    const { events, result, model, session } = await played(() => ({ toolCalls: [call as never] }), {
      tools: tools!,
      ...options,
    });

    expect(model.requests).toHaveLength(5);
    expect(only(events, 'tool_result')).toHaveLength(5);
    expect(only(events, 'error')).toMatchObject([{ code: 'TOOL_LOOP' }]);
    expect(result.subtype).toBe('error');
    expect(session.messages.filter(({ role }) => role === 'tool')).toHaveLength(5);
  });

  it('goes on after four, and with a failure of another kind between', async () => {
    const four = await played([failing, failing, failing, failing, { text: 'Done.' }], { tools: [fails] });
    const other = { toolCalls: [{ name: 'missing' }] };
    const script = [...Array(4).fill(failing), other, ...Array(4).fill(failing), { text: 'Done.' }];
    const mixed = await played(script as ScriptedReply[], { tools: [fails] });

    expect([four.result.subtype, mixed.result.subtype]).toEqual(['success', 'success']);
  });

  it('of a subagent ends the runs around it', async () => {
    const script: Script = ({ instruction }) =>
      instruction.startsWith('Be one.') ? failing : { toolCalls: [task('one')] };

    const { events, model } = await played(script, {
      tools: [fails],
      allowedTools: ['fails', 'Task'],
      agents: agentsNamed('one'),
    });

    expect(only(events, 'error')).toMatchObject([{ code: 'TOOL_LOOP' }]);
    expect(model.requests).toHaveLength(6);
  });

  it('goes on counting after a crash', async () => {
    const store = expiring(memoryStore());
    const { session, model } = await scriptedSession(() => failing, { store, tools: [fails] });
    await session.send('Begin.');
    const stream = session.stream();
    while (model.requests.length < 4) await stream.next(); // three failures and the reply that asks for a fourth
    const { session: again, model: later } = await resumed(store, session.sessionId, () => failing, {
      tools: [fails],
    });

    const events = await read(again);

    expect(later.requests).toHaveLength(1); // it asks for the fifth
    expect(only(events, 'error')).toMatchObject([{ code: 'TOOL_LOOP' }]);
  });
});

describe('a tool that is out of time', () => {
  const slow = toolNamed('slow', () => new Promise(() => undefined), { kind: 'readonly' });

  it('is stopped in a subagent too, and with `throw` ends the runs around it', async () => {
    const script = () =>
      cast({
        main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
        one: [{ toolCalls: [{ name: 'slow' }] }, { text: 'Worked.' }],
      });
    const options: Partial<SessionOptions> = {
      tools: [slow],
      allowedTools: ['slow', 'Task'],
      agents: agentsNamed('one'),
      toolTimeout: 5,
    };

    const goesOn = await played(script(), options);
    const ends = await played(script(), { ...options, onToolTimeout: 'throw' });

    expect(goesOn.result.content).toBe('Done.');
    expect(only(ends.events, 'error')).toMatchObject([{ code: 'TIMEOUT' }]);
    expect(ends.result.subtype).toBe('error');
  });
});

describe('a run that is aborted during a model call', () => {
  it.each<[string, ScriptedReply]>([
    ['that has said something', { text: 'Some text', hangs: true }],
    ['that has said nothing', { hangs: true }],
    ['that was thinking', { thinking: 'Hm.', hangs: true }],
  ])('%s: its result is `aborted` and holds an estimate of the usage', async (_, reply) => {
    const { session, model } = await scriptedSession([reply]);
    await session.send('Begin.');
    const events: StreamMessage[] = [];
    const stream = session.stream({ includeThinking: true });
    const reading = (async () => {
      for await (const event of stream) events.push(event);
    })();
    await vi.waitFor(() => expect(model.requests).toHaveLength(1), { interval: 1, timeout: 15_000 });
    await new Promise((resolve) => setTimeout(resolve, 1)); // it has said what it will say

    session.abort();
    await reading;

    const result = resultOf(events);
    expect(result).toMatchObject({ subtype: 'aborted', usage: { estimated: true } });
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(only(events, 'result')).toHaveLength(1);
    expect(only(events, 'usage')).toMatchObject([{ usage: result.usage, model: 'scripted' }]);
    expect((await session.usage()).total.usage).toEqual(result.usage);
  });

  it('of a subagent counts the estimate too', async () => {
    const reached = Promise.withResolvers<void>();
    const script: Script = ({ instruction }) => {
      if (!instruction.startsWith('Be one.')) return { toolCalls: [task('one')] };
      reached.resolve();
      return { text: 'Some', hangs: true };
    };
    const { handler, events: seen } = watched();
    const { session } = await scriptedSession(script, {
      allowedTools: ['Task'],
      agents: agentsNamed('one'),
      handlers: [handler],
    });
    await session.send('Begin.');
    const reading = Array.fromAsync(session.stream());
    await reached.promise;

    session.abort();
    const result = resultOf(await reading);

    expect(result).toMatchObject({ subtype: 'aborted', usage: { estimated: true } });
    expect(result.usage.totalTokens).toBe(15 + estimatesIn(seen));
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  const estimatesIn = (seen: readonly AgentEvent[]) =>
    seen
      .flatMap((event) => (event.type === 'usage' && event.usage.estimated ? [event.usage.totalTokens] : []))
      .reduce((sum, tokens) => sum + tokens, 0);
});

describe('a model call that fails', () => {
  it.each([400, 401, 403])('with status %i is not made again', async (statusCode) => {
    const { model, result } = await played(() => ({ error: overloaded({ statusCode }) }));

    expect(model.requests).toHaveLength(1);
    expect(result.subtype).toBe('error');
  });

  it.each([{ text: 'a' }, { thinking: 'a' }])('after its first delta %j is not made again', async (said) => {
    const { model, result } = await played(() => ({ ...said, error: overloaded() }));

    expect(model.requests).toHaveLength(1);
    expect(result.subtype).toBe('error');
  });

  it('is made again when the service says to wait, after that time', async () => {
    const error = new RateLimitError('slow down', 0.02);
    noJitter();
    const before = performance.now();

    const { model, result, seen } = await played([{ error }, { text: 'Done.' }]);

    expect(model.requests).toHaveLength(2);
    expect(result.content).toBe('Done.');
    expect(performance.now() - before).toBeGreaterThanOrEqual(19);
    expect(notificationsIn(seen, 'model_retry')).toEqual([expect.stringMatching(/attempt 2 of 3 in 20 ms/)]);
  });

  it('three times in each turn, where both models fail so', async () => {
    noJitter();
    const asked: string[] = [];
    const provider: CustomProvider = {
      type: 'custom',
      createModel: (name) =>
        scriptedModel(() => (asked.push(name), { error: overloaded({ retryAfter: 0.001 }) }), { name }),
    };
    const session = await createSession({ provider, model: 'main', store: memoryStore(), fallbackModel: 'spare' });

    const result = resultOf(await say(session, 'Begin.'));

    expect(asked.join(' ')).toBe('main main main spare spare spare');
    expect(result.subtype).toBe('error');
  });
});

describe('retryBudgetMs', () => {
  /** Both agents fail at first, each asking for a wait. */
  async function waiting(retryBudgetMs: number) {
    const asked: string[] = [];
    const script: Script = ({ instruction, messages }) => {
      const name = instruction.startsWith('Be one.') ? 'one' : 'main';
      asked.push(name);
      const isFirst = asked.filter((other) => other === name).length === 1;
      if (isFirst) return { error: overloaded({ retryAfter: 0.01 }) };
      if (messages.at(-1)?.role === 'tool') return { text: 'Done.' };
      return name === 'main' ? { toolCalls: [task('one')] } : { text: 'Worked.' };
    };
    const run = await played(script, { allowedTools: ['Task'], agents: agentsNamed('one'), retryBudgetMs });
    return { ...run, asked: asked.join(' ') };
  }

  it('is one for a run and its subagents', async () => {
    noJitter();
    const enough = await waiting(20);
    const forOne = await waiting(19);

    expect(enough.asked).toBe('main main one one main');
    expect(forOne.asked).toBe('main main one main'); // the subagent found nothing left; its caller is told
    expect(only(forOne.events, 'tool_result')).toMatchObject([{ name: 'Task', isError: true }]);
    expect(notificationsIn(forOne.seen.map(innermost), 'model_retry')).toHaveLength(1);
  });

  it('begins anew with each run', async () => {
    noJitter();
    let asked = 0;
    const script: Script = () => (asked++ % 2 === 0 ? { error: overloaded({ retryAfter: 0.01 }) } : { text: 'Done.' });
    const { session } = await scriptedSession(script, { retryBudgetMs: 10 });

    const first = resultOf(await say(session, 'Begin.'));
    const second = resultOf(await say(session, 'Again.'));

    expect([first.subtype, second.subtype]).toEqual(['success', 'success']);
  });
});

describe('what a run leaves of its calls', () => {
  it.each<[string, Partial<SessionOptions>, (abort: () => void) => AgentHandler[]]>([
    ['an abort', {}, (abort) => [{ name: 'a', onEvent: (event) => void (event.type === 'tool_started' && abort()) }]],
    ['a time-out that ends the run', { toolTimeout: 5, onToolTimeout: 'throw' }, () => []],
    ['the limit of turns', { maxTurns: 1, toolTimeout: 5 }, () => []],
  ])('is one answer for each, in the log and for the model: %s', async (_, options, handlers) => {
    const store = memoryStore();
    const slow = toolNamed('slow', () => new Promise(() => undefined), { kind: 'readonly' });
    const made: { abort: () => void } = { abort: () => undefined };
    const toolCalls = [
      { id: 'a', name: 'slow' },
      { id: 'b', name: 'echo', input: { text: 'b' } },
      { id: 'c', name: 'slow' },
    ];
    const { session } = await scriptedSession([{ toolCalls }, { text: 'Done.' }], {
      store,
      tools: [slow, echoTool()],
      ...options,
      handlers: handlers(() => made.abort()),
    });
    made.abort = () => session.abort();

    await say(session, 'Begin.');

    const finished = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'record' && body.record.type === 'tool_finished' ? [body.record.callId] : [],
    );
    expect(finished.toSorted()).toEqual(['a', 'b', 'c']);
    const answers = session.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(answers.map(({ toolUseId }) => toolUseId)).toEqual(['a', 'b', 'c']);
  });
});
