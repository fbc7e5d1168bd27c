import { AgentError, type AgentEvent, addUsage, noUsage, type TokenUsage } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  type CustomProvider,
  createSession,
  type HookConfig,
  type HookInput,
  memoryStore,
  type SessionOptions,
  type SessionStore,
} from '../src/index.ts';
import { agentsNamed, cast, task } from './agent-scripts.ts';
import { bodiesOf, echoTool, only, resultOf, say, toolNamed } from './makers.ts';
import { resumed } from './resumed.ts';
import { innermost, notificationsIn, watched } from './watched.ts';

const counts = (inputTokens: number, outputTokens: number): TokenUsage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});
const sum = (usages: readonly TokenUsage[]) => usages.reduce(addUsage, noUsage());
/** Small enough that one long output fills it. */
const WINDOW = 2_000;
const long = 'word '.repeat(400);
const look = toolNamed('look', async () => long, { kind: 'readonly' });
const looks = (inputTokens = 100): ScriptedReply => ({ toolCalls: [{ name: 'look' }], usage: counts(inputTokens, 1) });

/** A session whose model has a small window, everything its observers are told, and what the model was asked. */
async function smallSession(
  parts: Readonly<Record<string, readonly ScriptedReply[]>>,
  options: Partial<SessionOptions> & { summary?: ScriptedReply } = {},
) {
  const { summary = { usage: counts(7, 3) }, ...more } = options;
  const { handler, events: seen } = watched();
  const model = scriptedModel(cast(parts, summary), { name: 'main', contextWindow: WINDOW });
  const provider: CustomProvider = { type: 'custom', createModel: () => model };
  const store: SessionStore = more.store ?? memoryStore();
  const session = await createSession({
    provider,
    model: 'main',
    store,
    tools: [look],
    allowedTools: ['look', 'Task'],
    ...more,
    handlers: [handler],
  });
  return { session, model, seen, store };
}
const compactions = (seen: readonly AgentEvent[]) => seen.filter(({ type }) => type === 'compaction').length;

describe('the usage of a run', () => {
  it('is the sum of its usage events, those of subagents and of compactions included', async () => {
    const parts = {
      main: [looks(), looks(1_900), { toolCalls: [task('one')], usage: counts(40, 4) }, { text: 'Done.' }],
      one: [looks(), looks(1_900), { toolCalls: [task('two')], usage: counts(30, 3) }, { text: 'Worked.' }],
      two: [{ text: 'Helped.', usage: counts(1_000, 500) }],
    };
    const { session, seen } = await smallSession(parts, { agents: agentsNamed('one', 'two') });

    const events = await say(session, 'Begin.');

    const { usage, subtype } = resultOf(events);
    const told = only(events, 'usage').map((event) => event.usage);
    // Observers see an event of a subagent as its own; wrapped in those of the agents around it, it is the same once more.
    const all = seen.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    expect(subtype).toBe('success');
    expect(all).toHaveLength(4 + 4 + 1 + 2);
    expect(all.filter(({ inputTokens }) => inputTokens === 7)).toHaveLength(2); // a compaction of each
    expect(sum(all)).toEqual(usage);
    expect(told).toHaveLength(5); // readers see those of the main agent
    expect((await session.usage()).total).toMatchObject({ calls: 11, usage });
  });

  it('has an entry for each call, with its agent, its model, its purpose and all its counts', async () => {
    const full = { ...counts(1_900, 10), cacheReadTokens: 50, cacheWriteTokens: 20, reasoningTokens: 4 };
    const parts = {
      main: [{ toolCalls: [task('one')], usage: full }, { text: 'Done.' }],
      one: [looks(), looks(1_900), { text: 'Worked.' }],
    };
    const { session, store } = await smallSession(parts, { agents: agentsNamed('one') });
    await say(session, 'Begin.');

    const { entries } = await session.usage();

    expect(entries.map(({ agentPath, purpose = '', model }) => `${agentPath.join('/')} ${model} ${purpose}`)).toEqual([
      'main main ',
      'main/one main ',
      'main/one main ',
      'main/one main compaction',
      'main/one main ',
      'main main ',
    ]);
    const { totalTokens: _, ...rest } = full;
    expect(entries[0]).toMatchObject({ provider: 'scripted', ...rest });
    const recorded = (await bodiesOf(store, session.sessionId)).flatMap((body) =>
      body.type === 'run_ended' ? [body.usage] : [],
    );
    expect(recorded).toEqual([(await session.usage()).total.usage]);
  });

  it('costs what the prices of the host say, before the built-in ones, and is unknown without one', async () => {
    const parts = { main: [{ text: 'Done.', usage: counts(1_000_000, 1_000_000) }] };
    const cost = async (name: string, prices?: SessionOptions['prices']) => {
      const model = scriptedModel(cast(parts), { name });
      const provider: CustomProvider = { type: 'custom', createModel: () => model };
      const session = await createSession({
        provider,
        model: name,
        store: memoryStore(),
        ...(prices ? { prices } : {}),
      });
      await say(session, 'Begin.');
      return (await session.usage()).total.cost.usd;
    };

    const builtIn = await cost('gpt-4o');
    expect(builtIn).toBeGreaterThan(0);
    expect(await cost('gpt-4o', { 'gpt-4o': { input: 100, output: 200 } })).toBe(300);
    expect(await cost('of-nobody', { 'gpt-4o': { input: 100, output: 200 } })).toBeUndefined();
    expect(await cost('of-nobody', { 'of-nobody': { input: 0, output: 0 } })).toBe(0);
  });
});

describe('a compaction', () => {
  const filling = () => ({ main: [looks(), looks(), looks(1_900), { text: ['Do', 'ne.'] }, { text: 'More.' }] });

  it('is counted before the deltas of its turn', async () => {
    const { session, seen } = await smallSession(filling());

    const events = await say(session, 'Begin.');

    const last = events.slice(events.findLastIndex(({ type }) => type === 'turn_start')).map(({ type }) => type);
    expect(compactions(seen)).toBe(1);
    expect(last.join(' ')).toBe('turn_start usage content content usage turn_end result');
  });

  it('leaves calls and answers together, is an entry of its own, and deletes nothing', async () => {
    const { session, model, store } = await smallSession(filling());
    await say(session, 'Begin.');

    const bodies = await bodiesOf(store, session.sessionId);
    const types = bodies.flatMap((body) => (body.type === 'record' ? [body.record.type] : []));
    const roles = model.requests.at(-1)!.messages.map(({ role }) => role);

    expect(types.filter((type) => type === 'compaction')).toHaveLength(1);
    expect(types.filter((type) => type === 'message')).toHaveLength(1 + 4); // the user's and every reply
    expect(types.filter((type) => type === 'tool_finished')).toHaveLength(3);
    expect(roles.join(' ')).toMatch(/^user( user)?( assistant tool)+$/);
  });

  it('is delivered around: a message sent during it comes after it', async () => {
    const sent: { now?: () => Promise<unknown> } = {};
    const hooks: HookConfig = {
      Compaction: [{ hooks: [async () => void (await sent.now?.())] }],
    };
    const { session, seen, model } = await smallSession(filling(), { hooks });
    sent.now = () => session.send('Faster.');

    const events = await say(session, 'Begin.');

    const order = seen.flatMap((event) => {
      if (event.type === 'user_message') return [event.content];
      return event.type === 'compaction' ? ['compaction'] : [];
    });
    expect(order).toEqual(['Begin.', 'compaction', 'Faster.']);
    expect(resultOf(events)).toMatchObject({ subtype: 'success', content: 'More.' });
    const last = model.requests.at(-1)!.messages.at(-1);
    expect(last).toMatchObject({ role: 'user', content: [{ text: 'Faster.' }] });
  });

  it('is blocked once by a hook: the run goes on with everything, and the next attempt is made later', async () => {
    const asked: number[] = [];
    const hooks: HookConfig = {
      Compaction: [
        {
          hooks: [
            async ({ messages_before }) => {
              asked.push(messages_before);
              return { blockCompaction: asked.length === 1 };
            },
          ],
        },
      ],
    };
    const parts = { main: [looks(), looks(1_800), looks(1_850), looks(2_400), { text: 'Done.' }] };
    const { session, seen, model } = await smallSession(parts, { hooks });

    await say(session, 'Begin.');

    expect(asked).toHaveLength(2);
    expect(notificationsIn(seen, 'compaction_blocked')).toHaveLength(1);
    expect(compactions(seen)).toBe(1);
    const whole = model.requests.find(({ messages }) => messages.length === asked[0]);
    expect(whole).toBeDefined(); // the turn of the block was shown everything
  });

  it('is given up at once when the run is aborted while a hook is asked about it', async () => {
    const reached = Promise.withResolvers<AbortSignal>();
    const hangs = (_: HookInput, { signal }: { signal: AbortSignal }) => {
      reached.resolve(signal);
      return new Promise<never>(() => undefined);
    };
    const { session, seen } = await smallSession(filling(), { hooks: { Compaction: [{ hooks: [hangs] }] } });
    await session.send('Begin.');
    const reading = Array.fromAsync(session.stream());
    const signal = await reached.promise;

    session.abort();

    expect(resultOf(await reading).subtype).toBe('aborted');
    expect(signal.aborted).toBe(true);
    expect(compactions(seen)).toBe(0);
  });

  it('of a subagent leaves the history of its parent alone, and holds when it is read again', async () => {
    const parts = {
      main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
      one: [looks(), looks(), looks(1_900), { text: 'Worked.' }],
    };
    const { session, seen, store } = await smallSession(parts, { agents: agentsNamed('one') });
    await say(session, 'Begin.');
    const before = session.messages;
    await session.close();
    const { session: again } = await resumed(store, session.sessionId, []);

    expect(compactions(seen)).toBe(1);
    expect(before.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(again.messages).toEqual(before);
  });
});

describe('what observers see', () => {
  it('and readers do not: replies, progress, decisions, notifications, compactions, subagents', async () => {
    const progress = toolNamed(
      'progress',
      async function* () {
        yield 'bit by bit';
        return 'all of it';
      },
      { kind: 'readonly' },
    );
    const parts = {
      main: [
        { toolCalls: [{ name: 'progress' }, { name: 'look' }, task('one')] },
        looks(),
        looks(1_900),
        { text: 'Done.' },
      ],
      one: [{ text: 'Worked.' }],
    };
    const { session, seen } = await smallSession(parts, {
      tools: [look, progress, echoTool()],
      allowedTools: ['look', 'progress', 'Task'],
      disallowedTools: ['mcp__none__such'], // a name that nobody bears is notified
      agents: agentsNamed('one'),
    });

    const events = await say(session, 'Begin.');

    const shown = new Set(events.map(({ type }) => type));
    const internal = new Set(seen.map(({ type }) => type).filter((type) => !shown.has(type as never)));
    expect(internal).toEqual(
      new Set(['message', 'tool_started', 'tool_progress', 'permission', 'notification', 'compaction', 'subagent']),
    );
    expect(shown).toEqual(
      new Set(['turn_start', 'user_message', 'usage', 'tool_use', 'tool_result', 'turn_end', 'content', 'result']),
    );
    expect(seen).toContainEqual(expect.objectContaining({ type: 'tool_progress', delta: 'bit by bit' }));
    expect(seen.filter(({ type }) => type === 'message')).toHaveLength(5);
    expect(seen.filter(({ type }) => type === 'permission').length).toBeGreaterThanOrEqual(5);
    const inside = seen.flatMap((event) => (event.type === 'subagent' ? [innermost(event).type] : []));
    expect(inside).toContain('content');
    expect(JSON.stringify(events)).not.toContain('bit by bit');
  });

  it('is nothing that could not be a message of the stream, for each of its ten types', async () => {
    const parts = { main: [{ thinking: 'Hm.', text: 'Done.' }, { error: new AgentError('no', 'MODEL_ERROR') }] };
    const { session } = await smallSession(parts);
    await session.send('Begin.');
    const first = await Array.fromAsync(session.stream({ includeThinking: true }));

    const second = await say(session, 'Again.');

    expect(first.map(({ type }) => type)).toContain('thinking');
    expect(second.map(({ type }) => type)).toEqual(['turn_start', 'user_message', 'turn_end', 'error', 'result']);
  });
});

describe('fallbackModel', () => {
  it("is the session's own again in the next run, and a notification says when it steps in", async () => {
    const overloaded = Object.assign(new AgentError('overloaded', { code: 'MODEL_ERROR', retryable: true }), {});
    const asked: string[] = [];
    const provider: CustomProvider = {
      type: 'custom',
      createModel: (name) =>
        scriptedModel(
          () => {
            asked.push(name);
            return name === 'main' && asked.length === 1 ? { error: overloaded } : { text: 'Done.' };
          },
          { name },
        ),
    };
    const { handler, events: seen } = watched();
    const session = await createSession({
      provider,
      model: 'main',
      store: memoryStore(),
      fallbackModel: 'spare',
      retryBudgetMs: 0,
      handlers: [handler],
    });

    const first = await say(session, 'Begin.');
    await say(session, 'Again.');

    expect(asked).toEqual(['main', 'spare', 'main']);
    expect(notificationsIn(seen, 'fallback_model')).toEqual([expect.stringContaining('spare')]);
    expect(first.map(({ type }) => type)).not.toContain('notification');
  });
});
