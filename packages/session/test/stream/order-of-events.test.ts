import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import type { HookCallback } from '@x/handlers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memoryStore, type SessionStore, sqliteStore } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { read, scriptedSession, toolNamed } from '../support/makers.ts';
import { slow } from '../support/slow-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'order-'));
});
afterAll(() => rm(folder, { recursive: true }));

const sqlite = () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) });
const calls = {
  alone: [{ id: 'c', name: 'change' }],
  sideBySide: [
    { id: 'a', name: 'first' },
    { id: 'b', name: 'second' },
  ],
};
const script = () =>
  cast({
    main: [
      { text: 'Let me see.', toolCalls: [...calls.alone, ...calls.sideBySide] },
      { toolCalls: [task('helper', 't')] },
      { text: 'Done.' },
    ],
    helper: [{ toolCalls: [{ id: 'h', name: 'change' }] }, { text: 'Helped.' }],
  });

/** One run that meets everything: what its reader, its hooks, its tools and whoever is asked see, in the order of time. */
async function orderOver(store: SessionStore) {
  const seen: string[] = [];
  const tooEarly: string[] = [];
  const happens = async (what: string, callId: string) => {
    seen.push(`${what} ${callId}`);
    const log = JSON.stringify(await Array.fromAsync(store.read(session.sessionId)));
    if (!log.includes(`"type":"tool_use","id":"${callId}"`)) tooEarly.push(`${what} ${callId}`);
  };
  const hook: HookCallback = async (input) => {
    if (input.hook_event_name === 'PreToolUse') await happens('HOOK', input.tool_use_id);
    return {};
  };
  const second = Promise.withResolvers<void>();
  const tools = [
    toolNamed('first', async () => await second.promise, { kind: 'readonly' }),
    toolNamed('second', async () => void setImmediate(second.resolve), { kind: 'readonly' }),
    toolNamed('change', async (_, { callId }) => {
      await happens('RUNS', callId);
      if (callId === 'c') await session.send('Faster.');
      return 'changed';
    }),
  ];
  const { session } = await scriptedSession(script(), {
    store,
    tools,
    agents: agentsNamed('helper'),
    allowedTools: ['Task', 'first', 'second', 'change'],
    hooks: { PreToolUse: [{ hooks: [hook] }] },
    canUseTool: async (_name, _input, { callId }) => {
      await happens('ASKED', callId);
      return { behavior: 'allow' };
    },
  });
  await session.send('Begin.');
  for await (const event of session.stream()) seen.push('id' in event ? `${event.type} ${event.id}` : event.type);
  await session.close();
  await store[Symbol.asyncDispose]();
  return { seen, tooEarly };
}

const asked = (id: string) => [`tool_use ${id}`, `HOOK ${id}`, `ASKED ${id}`];
const EVENTS = [
  ['turn_start', 'user_message', 'content', 'usage'],
  [...asked('c'), 'RUNS c', 'tool_result c'],
  [...asked('a'), ...asked('b'), 'tool_result b', 'tool_result a', 'turn_end'],
  ['turn_start', 'user_message', 'usage', ...asked('t')],
  ['HOOK h', 'ASKED h', 'RUNS h', 'tool_result t', 'turn_end'],
  ['turn_start', 'content', 'usage', 'turn_end', 'result'],
].flat();

describe.each([
  ['memory', memoryStore],
  ['slow', slow],
  ['sqlite', sqlite],
])('the events of a run over the %s store', (_name, make) => {
  it('come before whoever is asked about them, in the one order of all stores', async () => {
    const { seen, tooEarly } = await orderOver(make());

    expect(seen).toEqual(EVENTS);
    expect(tooEarly).toEqual([]);
  });
});

/** Commits of a run with one call. */
async function commitsOf(options: Parameters<typeof scriptedSession>[1]): Promise<number> {
  const store = sqlite();
  const tools = [toolNamed('change', async () => 'changed')];
  const model = [{ toolCalls: calls.alone }, { text: 'Done.' }];
  const { session } = await scriptedSession(model, { store, tools, ...options });
  await session.send('Begin.');
  const run = vi.spyOn(StatementSync.prototype, 'run');
  await read(session);
  const statements = run.mock.contexts as unknown as StatementSync[]; // each one is what `run` was called on
  const commits = statements.filter(({ sourceSQL }) => sourceSQL === 'commit').length;
  run.mockRestore();
  await session.close();
  await store[Symbol.asyncDispose]();
  return commits;
}

describe('the commits of a run', () => {
  it('are one more where somebody is asked about a call, and no more where nobody is', async () => {
    const plain = await commitsOf({});
    const withoutMatch = await commitsOf({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({})] }] } });
    const askedFor = await commitsOf({ canUseTool: async () => ({ behavior: 'allow' }) });
    const hooked = await commitsOf({ hooks: { PreToolUse: [{ hooks: [async () => ({})] }] } });

    expect([plain, withoutMatch, askedFor, hooked]).toEqual([7, 7, 8, 8]);
  });
});
