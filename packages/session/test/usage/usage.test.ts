import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectSchema, type TokenUsage, type Tool, userMessage } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { liveRun, runAgent } from '@x/executor';
import { Pipeline } from '@x/handlers';
import { afterEach, describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionStore, sqliteStore } from '../../src/index.ts';
import { sessionUsage } from '../../src/log/usage.ts';
import {
  codeOf,
  echoTool,
  only,
  resultOf,
  say,
  scriptedProvider,
  scriptedSession,
  toolNamed,
} from '../support/makers.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function sqlite(): Promise<SessionStore> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-'));
  folders.push(folder);
  return sqliteStore({ path: join(folder, 's.db') });
}

/** Works through an agent of its own, as a tool for subagents does; the agent plays the script. */
function agentTool(name: string, script: readonly ScriptedReply[], tools: readonly Tool[] = []): Tool {
  return toolNamed(
    name,
    async (_, { run, callId, workspace, signal }) => {
      const journal = run.journal.child(callId);
      const { sessionId, runId, messageId } = run;
      const facts = { sessionId, runId, messageId, agentName: 'child', depth: run.depth + 1, signal, journal };
      const stream = runAgent({
        config: {
          instruction: '',
          tools: tools.map((tool) => ({ tool, returnDirectly: false })),
          input: [userMessage('Work.')],
          options: { maxTurns: 5 },
        },
        pipeline: new Pipeline([]),
        run: liveRun({ ...facts, parent: { run, callId } }),
        model: scriptedModel(script, { name: 'small' }),
        inbox: { take: async () => [], urgent: new AbortController().signal },
        workspace,
      });
      for await (const _event of stream);
      return 'done';
    },
    {
      kind: 'readonly',
      inputSchema: objectSchema({ subagent_type: { type: 'string', description: 'Who.', optional: true } }),
    },
  );
}

/** Says that something else has asked a model, as a compaction does. */
const noting = (usage: TokenUsage) =>
  toolNamed('notes', async (_, { run }) => {
    const data = { provider: 'scripted', model: 'small', usage, purpose: 'compaction' };
    await run.journal.write({ type: 'note', name: 'usage', data });
    return 'noted';
  });

const counts = (inputTokens: number, outputTokens: number): TokenUsage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});
const prices = { scripted: { input: 1, output: 10 }, small: { input: 0.1, output: 1 } };

describe.each([
  ['memory', async () => memoryStore()],
  ['sqlite', sqlite],
])('sessionUsage over the %s store', (_, open) => {
  it('has one entry for each model call, in order, with what it used', async () => {
    await using store = await open();
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 5, reasoningTokens: 7 };
    const script = [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }], usage }, { text: 'done' }];
    const { session } = await scriptedSession(script, { store, tools: [echoTool()] });
    await say(session, 'hello');

    const { entries, total } = await sessionUsage(store, session.sessionId, { prices });

    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const who = { at, agentPath: ['main'], provider: 'scripted', model: 'scripted' };
    expect(entries).toEqual([
      { ...who, ...usage, cost: expect.closeTo((100 + 200) / 1e6, 12) },
      { ...who, inputTokens: 10, outputTokens: 5, cost: expect.closeTo((10 + 50) / 1e6, 12) },
    ]);
    expect(total).toEqual({
      calls: 2,
      usage: { ...usage, inputTokens: 110, outputTokens: 25, totalTokens: 135 },
      cost: { usd: expect.closeTo(360 / 1e6, 12), knownUsd: expect.closeTo(360 / 1e6, 12), unknownModels: [] },
    });
  });

  it('has the calls of subagents, by the names of those around them', async () => {
    await using store = await open();
    const ask = (name: string, who: string) => ({ toolCalls: [{ name, input: { subagent_type: who } }] });
    const inner = agentTool('Inner', [{ text: 'x' }]);
    const outer = agentTool('Task', [ask('Inner', 'reader'), { text: 'y' }], [inner]);
    const { session } = await scriptedSession([ask('Task', 'writer'), {}], { store, tools: [outer] });
    const events = await say(session, 'hello');

    const { entries, byModel, total } = await sessionUsage(store, session.sessionId, { prices });

    expect(entries.map(({ agentPath, model }) => [agentPath.join(' > '), model])).toEqual([
      ['main', 'scripted'],
      ['main > writer', 'small'],
      ['main > writer > reader', 'small'],
      ['main > writer', 'small'],
      ['main', 'scripted'],
    ]);
    expect(byModel.map(({ provider, model, calls }) => [provider, model, calls])).toEqual([
      ['scripted', 'scripted', 2],
      ['scripted', 'small', 3],
    ]);
    expect(total.usage).toEqual(resultOf(events).usage);
  });

  it('calls an agent by its tool where the input does not name it', async () => {
    await using store = await open();
    const script = [{ toolCalls: [{ name: 'Helper' }] }, {}];
    const { session } = await scriptedSession(script, { store, tools: [agentTool('Helper', [{}])] });
    await say(session, 'hello');

    const { entries } = await sessionUsage(store, session.sessionId);

    expect(entries[1]?.agentPath).toEqual(['main', 'Helper']);
  });

  it('has the calls that made no message, and what they were for', async () => {
    await using store = await open();
    const script = [{ toolCalls: [{ name: 'notes' }] }, {}];
    const { session } = await scriptedSession(script, { store, tools: [noting(counts(1_000, 100))] });
    const events = await say(session, 'hello');

    const { entries, total } = await sessionUsage(store, session.sessionId, { prices });

    expect(entries[1]).toMatchObject({ model: 'small', inputTokens: 1_000, outputTokens: 100, purpose: 'compaction' });
    expect(total.usage).toEqual(resultOf(events).usage);
  });

  it('says what it cannot price, and what the rest comes to', async () => {
    await using store = await open();
    const script = [{ toolCalls: [{ name: 'notes' }] }, {}];
    const { session } = await scriptedSession(script, { store, tools: [noting(counts(1_000_000, 0))] });
    await say(session, 'hello');

    const { entries, total, byModel } = await sessionUsage(store, session.sessionId, {
      prices: { small: { input: 3, output: 0 } },
    });

    expect(entries.map((entry) => 'cost' in entry)).toEqual([false, true, false]);
    expect(total.cost).toEqual({ usd: undefined, knownUsd: 3, unknownModels: ['scripted'] });
    expect(byModel.map(({ cost }) => cost.usd)).toEqual([undefined, 3]);
  });

  it('flags what the service did not report', async () => {
    await using store = await open();
    const { session } = await scriptedSession([{ text: 'some text', hangs: true }], { store });
    await session.send('hello');
    for await (const event of session.stream()) if (event.type === 'content') session.abort();

    const { entries, total } = await sessionUsage(store, session.sessionId);

    expect(entries).toMatchObject([{ estimated: true, outputTokens: expect.any(Number) }]);
    expect(total.usage.estimated).toBe(true);
  });

  it('reads messages that are stored beside the log', async () => {
    await using store = await open();
    const { session } = await scriptedSession([{ text: 'x'.repeat(300_000) }], { store });
    await say(session, 'hello');

    const { total } = await sessionUsage(store, session.sessionId);

    expect(total).toMatchObject({ calls: 1, usage: counts(10, 5) });
  });

  it('leaves to the source what a fork has copied from it', async () => {
    await using store = await open();
    const { session } = await scriptedSession([{}, {}], { store });
    await say(session, 'hello');
    const { head } = (await store.list()).sessions[0]!;
    await store.fork(session.sessionId, head, 'fork');

    expect((await sessionUsage(store, 'fork')).total).toMatchObject({ calls: 0, usage: noUsage() });

    await say(session, 'more');
    expect((await sessionUsage(store, session.sessionId)).total.calls).toBe(2);
  });

  it('is nothing for a session that has not spoken, and fails for one that is not there', async () => {
    await using store = await open();
    const { provider } = scriptedProvider([]);
    const session = await createSession({ provider, model: 'scripted', store });

    expect(await sessionUsage(store, session.sessionId)).toEqual({
      entries: [],
      byModel: [],
      total: { calls: 0, usage: noUsage(), cost: { usd: 0, knownUsd: 0, unknownModels: [] } },
    });
    expect(await codeOf(sessionUsage(store, 'nobody'))).toBe('SESSION_NOT_FOUND');
  });

  it('is refused for what is no store, or no id', async () => {
    await using store = await open();
    const none = undefined as never; // safe: as a program without types gives it

    await expect(sessionUsage(none, 'a')).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'store' });
    await expect(sessionUsage(store, none)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'sessionId' });
  });

  it('adds up to the usage events of the runs, and to their results', async () => {
    await using store = await open();
    const script = [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'b' }, { text: 'c' }];
    const { session } = await scriptedSession(script, { store, tools: [echoTool()] });
    const events = [...(await say(session, 'one')), ...(await say(session, 'two'))];

    const { total } = await sessionUsage(store, session.sessionId);

    const sum = (usages: readonly TokenUsage[]) => usages.reduce(addUsage, noUsage());
    expect(total.usage).toEqual(sum(only(events, 'usage').map(({ usage }) => usage)));
    expect(total.usage).toEqual(sum(only(events, 'result').map(({ usage }) => usage)));
  });
});
