import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentHandler } from '@x/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CanUseTool, ISession, PermissionMode, SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { echoTool, only, say, scriptedSession, toolNamed } from '../support/makers.ts';
import { watched } from '../support/watched.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mode-'));
});
afterAll(() => rm(folder, { recursive: true }));

const bash = (id: string) => ({ id, name: 'Bash', input: { command: `echo ${id}` } });
const set = (mode: string) => ({ id: `to ${mode}`, name: 'set', input: {} });

/** A session whose readonly tool `set` changes the mode while its calls run, as a host's own code would. */
async function changing(calls: readonly object[], to: PermissionMode, options: Partial<SessionOptions>) {
  const made: { session?: ISession } = {};
  const tool = toolNamed('set', async () => made.session?.setPermissionMode(to), { kind: 'readonly' });
  const script = ({ messages }: { messages: readonly unknown[] }) =>
    messages.length === 1 ? { toolCalls: calls as never } : { text: 'Done.' };
  const { session } = await scriptedSession(script, {
    cwd: folder,
    tools: [tool, echoTool()],
    allowedTools: ['set', 'echo', 'Bash', 'Task'],
    ...options,
  });
  made.session = session;
  return session;
}
const ranIn = (events: Awaited<ReturnType<typeof say>>) =>
  only(events, 'tool_result').map(({ id, isError }) => `${id}: ${isError ? 'refused' : 'ran'}`);

describe('setPermissionMode()', () => {
  it.each<[PermissionMode, PermissionMode, string[]]>([
    ['bypassPermissions', 'plan', ['a: ran', 'to plan: ran', 'b: refused']],
    ['bypassPermissions', 'default', ['a: ran', 'to default: ran', 'b: refused']],
    ['default', 'bypassPermissions', ['a: refused', 'to bypassPermissions: ran', 'b: ran']],
  ])('from %s to %s counts from the next call of the same reply', async (permissionMode, to, expected) => {
    const session = await changing([bash('a'), set(to), bash('b')], to, { permissionMode });

    expect(ranIn(await say(session, 'Begin.'))).toEqual(expected);
  });

  it('never counts for a check under way, in neither direction', async () => {
    const outcomes = [];
    for (const [from, to] of [
      ['default', 'plan'],
      ['default', 'bypassPermissions'],
    ] as const) {
      const made: { session?: ISession } = {};
      const canUseTool: CanUseTool = async (_, input) => {
        made.session?.setPermissionMode(to);
        const { command } = input as { command: string };
        // What it asks for instead is judged in the mode of this check as well.
        if (command === 'echo a') return { behavior: 'allow', updatedInput: { command: 'echo changed' } };
        return command === 'echo changed' && to === 'plan'
          ? { behavior: 'allow' }
          : { behavior: 'deny', message: 'no' };
      };
      made.session = await changing([bash('a')], to, { permissionMode: from, canUseTool });
      outcomes.push(ranIn(await say(made.session, 'Begin.')));
    }

    expect(outcomes).toEqual([['a: ran'], ['a: refused']]);
  });

  it('counts for the next call of a subagent that is at work', async () => {
    const made: { session?: ISession } = {};
    const tool = toolNamed('set', async () => made.session?.setPermissionMode('plan'), { kind: 'readonly' });
    const script = cast({
      main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
      one: [{ toolCalls: [bash('a'), set('plan'), bash('b')] }, { text: 'Worked.' }],
    });
    const { handler, events } = watched();
    const { session } = await scriptedSession(script, {
      cwd: folder,
      tools: [tool],
      allowedTools: ['set', 'Bash', 'Task'],
      agents: agentsNamed('one'),
      permissionMode: 'bypassPermissions',
      handlers: [handler],
    });
    made.session = session;

    await say(session, 'Begin.');

    const results = events.flatMap((event) =>
      event.type === 'tool_result' && event.name === 'Bash' ? [[event.id, event.isError]] : [],
    );
    expect(results).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });

  it('is what hooks are told', async () => {
    const told: string[] = [];
    const session = await changing([bash('a'), set('plan'), bash('b')], 'plan', {
      permissionMode: 'bypassPermissions',
      hooks: { PreToolUse: [{ hooks: [async (input) => void told.push(input.permission_mode)] }] },
    });

    await say(session, 'Begin.');

    expect(told).toEqual(['bypassPermissions', 'bypassPermissions', 'plan']);
  });

  it('refuses what is no mode, and leaves the mode as it was', async () => {
    const session = await changing([bash('a')], 'plan', { permissionMode: 'bypassPermissions' });

    expect(() => session.setPermissionMode('bypass' as PermissionMode)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
    expect(ranIn(await say(session, 'Begin.'))).toEqual(['a: ran']);
  });
});

describe('the kind of a tool', () => {
  const calls = [
    { id: 'Read', name: 'Read', input: { file_path: 'no-such-file' } },
    { id: 'Grep', name: 'Grep', input: { pattern: 'x' } },
    { id: 'Glob', name: 'Glob', input: { pattern: '*' } },
    { id: 'Write', name: 'Write', input: { file_path: 'new.txt', content: 'x' } },
    { id: 'Edit', name: 'Edit', input: { file_path: 'new.txt', old_string: 'x', new_string: 'y' } },
    { id: 'Bash', name: 'Bash', input: { command: 'echo a' } },
    { id: 'own', name: 'own', input: {} },
  ];
  const own = toolNamed('own', async () => 'ran');
  const allowedTools = calls.map(({ name }) => name);

  it('is what canUseTool is told; a tool that names none counts as one that executes', async () => {
    const kinds: Record<string, unknown> = {};
    const canUseTool: CanUseTool = async (name, _, { toolKind }) => {
      kinds[name] = toolKind;
      return { behavior: 'deny', message: 'no' };
    };
    const session = await changing(calls, 'plan', { tools: [own], allowedTools, canUseTool });

    await say(session, 'Begin.');

    expect(kinds).toEqual({
      Read: 'readonly',
      Grep: 'readonly',
      Glob: 'readonly',
      Write: 'write',
      Edit: 'write',
      Bash: 'execute',
      own: 'execute',
    });
  });

  it.each<[PermissionMode, string[]]>([
    ['default', ['Read', 'Grep', 'Glob', 'own']],
    ['acceptEdits', ['Read', 'Grep', 'Glob', 'Write', 'Edit', 'own']],
    ['bypassPermissions', ['Read', 'Grep', 'Glob', 'Write', 'Edit', 'Bash', 'own']],
    ['plan', ['Read', 'Grep', 'Glob']],
  ])('decides in mode %s, when nobody can be asked, which calls run', async (permissionMode, expected) => {
    const { handler, events } = watched();
    const session = await changing(calls, 'plan', {
      tools: [own],
      allowedTools,
      permissionMode,
      handlers: [handler],
    });

    await say(session, 'Begin.');

    const started = new Set(events.flatMap((event) => (event.type === 'tool_started' ? [event.id] : [])));
    expect(calls.map(({ id }) => id).filter((id) => started.has(id))).toEqual(expected);
  });
});

describe('permissionMode plan', () => {
  it.each<[string, Partial<SessionOptions>]>([
    ['an allow rule', { autoApprove: ['Bash', 'own'] }],
    ['canUseTool', { canUseTool: async () => ({ behavior: 'allow' }) }],
    ['an ask rule that is answered', { alwaysAsk: ['Bash', 'own'], canUseTool: async () => ({ behavior: 'allow' }) }],
    [
      'hooks',
      {
        hooks: {
          PreToolUse: [{ hooks: [async () => ({ permissionDecision: 'allow' }) as const] }],
          PermissionRequest: [{ hooks: [async () => ({ decision: 'approve' }) as const] }],
        },
      },
    ],
  ])('runs nothing but readonly tools, whatever %s says', async (_, options) => {
    const own = toolNamed('own', async () => 'ran');
    const calls = [bash('a'), { id: 'o', name: 'own', input: {} }, { id: 'e', name: 'echo', input: { text: 'x' } }];
    const session = await changing(calls, 'plan', {
      permissionMode: 'plan',
      tools: [own, echoTool()],
      allowedTools: ['Bash', 'own', 'echo'],
      ...options,
    });

    expect(ranIn(await say(session, 'Begin.'))).toEqual(['a: refused', 'o: refused', 'e: ran']);
  });
});

describe('a tool that a handler brings', () => {
  const brought = toolNamed('brought', async () => 'ran', { kind: 'execute' });
  const bringing: AgentHandler = {
    name: 'brings',
    beforeAgent: (config) => void config.tools.push({ tool: brought, returnDirectly: false }),
  };
  const calls = [{ id: 'h', name: 'brought', input: {} }, bash('a')];
  const options: Partial<SessionOptions> = { handlers: [bringing], allowedTools: ['brought', 'Bash'] };

  it('runs like one of the options where nobody is there to be asked', async () => {
    const session = await changing(calls, 'plan', options);

    expect(ranIn(await say(session, 'Begin.'))).toEqual(['h: ran', 'a: refused']);
  });

  it('is asked about where somebody is, as readonly tools are', async () => {
    const asked: string[] = [];
    const canUseTool: CanUseTool = async (name) => {
      asked.push(name);
      return { behavior: 'deny', message: 'no' };
    };
    const all = [...calls, { id: 'e', name: 'echo', input: { text: 'x' } }];
    const session = await changing(all, 'plan', { ...options, allowedTools: ['brought', 'Bash', 'echo'], canUseTool });

    const events = await say(session, 'Begin.');

    expect(asked).toEqual(['brought', 'Bash', 'echo']);
    expect(ranIn(events)).toEqual(['h: refused', 'a: refused', 'e: refused']);
  });
});

describe('a call that is refused', () => {
  it('stops neither its neighbours in a parallel batch nor the run', async () => {
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const meets = toolNamed(
      'meets',
      async () => {
        if (++arrived === 2) both.resolve();
        await both.promise; // the first one still runs when the last one begins
        return 'met';
      },
      { kind: 'readonly', parallelSafe: true },
    );
    const call = (id: string, name = 'meets') => ({ id, name, input: {} });
    const denied = toolNamed('denied', async () => 'ran', { kind: 'readonly', parallelSafe: true });
    const session = await changing([call('a'), call('b', 'denied'), call('c')], 'plan', {
      tools: [meets, denied],
      allowedTools: ['meets', 'denied'],
      canUseTool: async (name) =>
        name === 'denied' ? { behavior: 'deny', message: 'not this one' } : { behavior: 'allow' },
    });

    const events = await say(session, 'Begin.');

    const results = only(events, 'tool_result').map(({ id, output }) => [id, output]);
    expect(Object.fromEntries(results)).toEqual({ a: 'met', b: expect.stringContaining('not this one'), c: 'met' });
    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'success', content: 'Done.' });
  });
});

describe('the guards of a subagent', () => {
  const script = () =>
    cast({
      main: [{ toolCalls: [task('one')] }, { text: 'Done.' }],
      one: [{ toolCalls: [bash('a')] }, { text: 'Worked.' }],
    });

  it.each<[string, Partial<SessionOptions>, boolean]>([
    ['nothing', { permissionMode: 'bypassPermissions' }, false],
    ['a deny rule', { permissionMode: 'bypassPermissions', disallowedTools: ['Bash(echo *)'] }, true],
    ['an ask rule', { permissionMode: 'bypassPermissions', alwaysAsk: ['Bash(echo *)'] }, true],
    ['the mode', { permissionMode: 'default' }, true],
    ['allowedTools', { permissionMode: 'bypassPermissions', allowedTools: ['Task'] }, true],
  ])('are those of its parent: %s', async (_, options, isRefused) => {
    const { handler, events } = watched();
    const { session } = await scriptedSession(script(), {
      cwd: folder,
      allowedTools: ['Task', 'Bash'],
      agents: agentsNamed('one').map((agent) => ({ ...agent, tools: ['Bash'] })),
      handlers: [handler],
      ...options,
    });

    await say(session, 'Begin.');

    const results = events.filter((event) => event.type === 'tool_result' && event.name === 'Bash');
    expect(results).toMatchObject([{ isError: isRefused }]);
  });
});
