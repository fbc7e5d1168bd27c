import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HookConfig, type HookEvent, type HookInput, memoryStore, type SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { echoTool, only, read, resultOf, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { abandonedAt, expiring, resumed } from '../support/resumed.ts';
import { notificationsIn, watched } from '../support/watched.ts';

let folder = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'reach-')));
});
afterAll(() => rm(folder, { recursive: true }));

const TOOL_EVENTS: readonly HookEvent[] = ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'];

/** Hooks on these events that write down whose call they were told of. */
function telling(events: readonly HookEvent[], lines: string[]): HookConfig {
  const hook = async (input: HookInput) => {
    const tool = 'tool_name' in input ? input.tool_name : '';
    lines.push(`${input.agent_name} ${input.agent_depth}: ${input.hook_event_name} ${tool}`.trim());
  };
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]));
}

describe('a hook that is a command', () => {
  it('runs in the working directory of the session, with its environment and no other', async () => {
    process.env['SECRET_OF_THE_HOST'] = 'hidden';
    const command = `printf '{"additionalContext":"%s|%s|%s|%s"}' "$PWD" "$GREETING" "$SECRET_OF_THE_HOST" "\${PATH:+path}"`;
    const { session } = await scriptedSession(
      [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'Done.' }],
      {
        cwd: folder,
        env: { GREETING: 'hello there' },
        tools: [echoTool()],
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
      },
    );

    const events = await say(session, 'Begin.');

    delete process.env['SECRET_OF_THE_HOST'];
    expect(only(events, 'tool_result')[0]?.output).toBe(`a\n\n${folder}|hello there||path`);
  });
});

describe('hooks of a session', () => {
  const streams = toolNamed(
    'streams',
    async function* () {
      yield 'bit by bit';
      return 'all of it';
    },
    { kind: 'execute' },
  );
  const fails = toolNamed('fails', async () => Promise.reject(new Error('it broke')), { kind: 'execute' });

  it('are asked about streaming tools and the calls of subagents at any depth, and know whose they are', async () => {
    const lines: string[] = [];
    const asks = (agent?: string) => ({
      toolCalls: [{ name: 'streams' }, { name: 'fails' }, ...(agent ? [task(agent)] : [])],
    });
    const script = cast({
      main: [asks('one'), { text: 'Done.' }],
      one: [asks('two'), { text: 'Worked.' }],
      two: [asks(), { text: 'Worked.' }],
    });
    const approve = async () => ({ decision: 'approve' }) as const;
    const hooks = telling(TOOL_EVENTS, lines);
    const { session } = await scriptedSession(script, {
      tools: [streams, fails],
      allowedTools: ['streams', 'fails', 'Task'],
      agents: agentsNamed('one', 'two'),
      alwaysAsk: ['streams', 'fails'],
      hooks: { ...hooks, PermissionRequest: [...hooks.PermissionRequest!, { hooks: [approve] }] },
    });

    await say(session, 'Begin.');

    const ofCalls = (agent: string) => [
      `${agent}: PreToolUse streams`,
      `${agent}: PermissionRequest streams`,
      `${agent}: PostToolUse streams`,
      `${agent}: PreToolUse fails`,
      `${agent}: PermissionRequest fails`,
      `${agent}: PostToolUseFailure fails`,
    ];
    expect(lines).toEqual([
      ...ofCalls('main 0'),
      'main 0: PreToolUse Task',
      ...ofCalls('one 1'),
      'one 1: PreToolUse Task',
      ...ofCalls('two 2'),
      'one 1: PostToolUse Task',
      'main 0: PostToolUse Task',
    ]);
  });

  it('are asked again about a call that is repeated after a crash', async () => {
    const lines: string[] = [];
    const work = toolNamed('work', async () => 'worked', { effect: 'idempotent' });
    const reply = { toolCalls: [{ id: 'w', name: 'work' }] };
    const options = { alwaysAsk: ['work'], canUseTool: async () => ({ behavior: 'allow' }) as const };
    const { store, sessionId } = await abandonedAt(reply, work, options);
    const { session } = await resumed(store, sessionId, [{ text: 'Done.' }], {
      ...options,
      tools: [work],
      hooks: telling(TOOL_EVENTS, lines),
    });

    const events = await read(session);

    expect(only(events, 'tool_result')).toMatchObject([{ output: 'worked' }]);
    expect(lines).toEqual(['main 0: PreToolUse work', 'main 0: PostToolUse work']);
  });

  it('are asked again about the call of a subagent that is repeated after a crash', async () => {
    const lines: string[] = [];
    const store = expiring(memoryStore());
    const started = Promise.withResolvers<void>();
    const work = (isStuck: boolean) =>
      toolNamed(
        'work',
        async () => {
          started.resolve();
          if (isStuck) await new Promise(() => undefined);
          return 'worked';
        },
        { effect: 'idempotent' },
      );
    const parts = { one: [{ toolCalls: [{ id: 'w', name: 'work' }] }] };
    const options = { store, agents: agentsNamed('one'), allowedTools: ['Task', 'work'] };
    const { session } = await scriptedSession(cast({ ...parts, main: [{ toolCalls: [task('one')] }] }), {
      ...options,
      tools: [work(true)],
    });
    await session.send('Begin.');
    void Array.fromAsync(session.stream()); // never ends: the process of this session is as good as dead
    await started.promise;
    const deny = async () => ({ permissionDecision: 'deny' }) as const;
    const hooks = telling(['PreToolUse'], lines);
    const { session: again, model } = await resumed(
      store,
      session.sessionId,
      cast({ main: [{ text: 'Done.' }], one: [{ text: 'Worked.' }] }),
      {
        ...options,
        tools: [work(false)],
        hooks: { PreToolUse: [...hooks.PreToolUse!, { matcher: 'work', hooks: [deny] }] },
      },
    );

    await read(again);

    expect(lines).toEqual(['main 0: PreToolUse Task', 'one 1: PreToolUse work']);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('work was not run');
  });

  it('PermissionRequest is asked before any call is refused for want of an answer', async () => {
    const lines: string[] = [];
    const calls = [
      { name: 'Bash', input: { command: 'echo a' } },
      { name: 'streams' },
      { name: 'echo', input: { text: 'a' } },
    ];
    const script = cast({
      main: [{ toolCalls: [...calls, task('one')] }, { text: 'Done.' }],
      one: [{ toolCalls: calls }, { text: 'Worked.' }],
    });
    const { session } = await scriptedSession(script, {
      cwd: folder,
      tools: [streams, echoTool()],
      allowedTools: ['Bash', 'streams', 'echo', 'Task'],
      agents: agentsNamed('one'),
      alwaysAsk: ['streams', 'echo'],
      hooks: telling(['PermissionRequest'], lines),
    });

    const events = await say(session, 'Begin.');

    expect(only(events, 'tool_result').map(({ name, isError }) => `${name}: ${isError}`)).toEqual([
      'Bash: true',
      'streams: true',
      'echo: true',
      'Task: false',
    ]);
    expect(lines).toEqual(
      ['main 0', 'one 1'].flatMap((agent) =>
        ['Bash', 'streams', 'echo'].map((tool) => `${agent}: PermissionRequest ${tool}`),
      ),
    );
  });

  it('Notification is told whose notification it is', async () => {
    const lines: string[] = [];
    const script = cast({
      main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
      one: [{ text: 'Worked.' }, { text: 'Worked.' }, { text: 'Worked.' }, { text: 'Worked.' }],
    });
    const { session } = await scriptedSession(script, {
      allowedTools: ['Task'],
      agents: agentsNamed('one'),
      hooks: {
        ...telling(['Notification'], lines),
        SubagentStop: [{ hooks: [async () => ({ decision: 'block' }) as const] }],
      },
    });

    await say(session, 'Begin.');

    expect(lines).toEqual(['one 1: Notification']); // its turns are used up
  });
});

describe('the signal of a hook', () => {
  const cases: readonly (readonly [HookEvent, Script, Partial<SessionOptions>])[] = [
    ['UserPromptSubmit', [], {}],
    ['PreToolUse', [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }], {}],
    ['PermissionRequest', [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }], { alwaysAsk: ['echo'] }],
    ['PostToolUse', [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }], {}],
    ['Stop', [{ text: 'Done.' }], {}],
    ['TaskCompleted', [{ text: 'Done.' }], {}],
    [
      'SubagentStart',
      cast({ main: [{ toolCalls: [task('one')] }] }),
      { agents: agentsNamed('one'), allowedTools: ['Task'] },
    ],
  ];

  it.each(cases)('%s: is aborted by session.abort(), which does not wait for the hook', async (event, script, more) => {
    const reached = Promise.withResolvers<AbortSignal>();
    const hangs = (_: HookInput, { signal }: { signal: AbortSignal }) => {
      reached.resolve(signal);
      return new Promise<never>(() => undefined);
    };
    const { session } = await scriptedSession(script, {
      tools: [echoTool()],
      hooks: { [event]: [{ hooks: [hangs] }] },
      ...more,
    });
    await session.send('Begin.');
    const reading = read(session);
    const signal = await reached.promise;
    const before = signal.aborted;

    session.abort();

    expect([before, signal.aborted]).toEqual([false, true]);
    expect(resultOf(await reading).subtype).toBe('aborted');
    await session.close();
  });

  it('is aborted when its time is up, and the call does not run', async () => {
    const ran: string[] = [];
    const signals: AbortSignal[] = [];
    const hangs = (_: HookInput, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const { handler, events: seen } = watched();
    const { session } = await scriptedSession(
      [{ toolCalls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'Done.' }],
      {
        tools: [echoTool((text) => ran.push(text))],
        hooks: { defaultTimeout: 0.005, PreToolUse: [{ hooks: [hangs] }] },
        handlers: [handler],
      },
    );

    const events = await say(session, 'Begin.');

    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(ran).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ isError: true }]);
    expect(notificationsIn(seen, 'hook_failed')).toEqual([
      'the PreToolUse hook hangs did not answer within 0.005 seconds',
    ]);
  });
});
