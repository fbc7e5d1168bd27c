import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentEvent, objectSchema } from '@x/core';
import type { Script } from '@x/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandHook, type HookConfig, type HookEvent, memoryStore, type SessionOptions } from '../src/index.ts';
import { agentsNamed, cast, task } from './agent-scripts.ts';
import { only, read, resultOf, say, scriptedProvider, scriptedSession, shownTo, toolNamed } from './makers.ts';
import { expiring, resumed } from './resumed.ts';
import { innermost, notificationsIn, watched } from './watched.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outputs-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A hook that is a shell command and prints this. */
function printing(output: object): CommandHook {
  return { type: 'command', command: `cat > /dev/null; printf '%s' '${JSON.stringify(output)}'` };
}
const hookOn = (event: HookEvent, output: object): HookConfig => ({ [event]: [{ hooks: [printing(output)] }] });

/** One run with one call of `note`, whose trace is in `ran`; and everything the run has told. */
async function noting(options: Partial<SessionOptions>, script?: Script) {
  const ran: unknown[] = [];
  const note = toolNamed('note', async (input) => (ran.push(input), 'noted'), {
    kind: 'execute',
    inputSchema: objectSchema({ text: { type: 'string', description: 'What to note.', optional: true } }),
  });
  const fails = toolNamed('fails', async () => Promise.reject(new Error('it broke')));
  const { handler, events: seen } = watched();
  const { session, model } = await scriptedSession(
    script ?? [{ toolCalls: [{ id: 'n', name: 'note', input: { text: 'a' } }] }, { text: 'Done.' }],
    { cwd: folder, tools: [note, fails], allowedTools: ['note', 'fails', 'Task'], ...options, handlers: [handler] },
  );
  const events = await say(session, 'Begin.');
  return { ran, events, seen, session, model, result: resultOf(events) };
}

describe('a hook that prints the simple output', () => {
  it('skip: the call does not run and is answered with the reason, as a success', async () => {
    const hooks = hookOn('PreToolUse', { action: 'skip', reason: 'noted before' });

    const { ran, events, result } = await noting({ hooks });

    expect(ran).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ id: 'n', output: 'noted before', isError: false }]);
    expect(result.subtype).toBe('success');
  });

  it.each([
    { action: 'abort', reason: 'not now' },
    { permissionDecision: 'deny', permissionDecisionReason: 'not now' },
  ])('%j: the call does not run, and the model reads why', async (output) => {
    const { ran, events } = await noting({ hooks: hookOn('PreToolUse', output) });

    expect(ran).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ isError: true, output: expect.stringContaining('not now') }]);
  });

  it.each([
    { action: 'continue', modifiedInput: { text: 'b' } },
    { updatedInput: { text: 'b' } },
    { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { text: 'b' } } },
  ])('%j: the tool gets the changed input', async (output) => {
    const { ran } = await noting({ hooks: hookOn('PreToolUse', output) });

    expect(ran).toEqual([{ text: 'b' }]);
  });

  it.each([{ action: 'continue', modifiedOutput: 'changed' }, { updatedOutput: 'changed' }])(
    '%j: the model reads the changed output',
    async (output) => {
      const { events, model } = await noting({ hooks: hookOn('PostToolUse', output) });

      expect(only(events, 'tool_result')).toMatchObject([{ output: 'changed', isError: false }]);
      expect(shownTo(model, 1).at(-1)).toBe('tool: changed');
    },
  );

  it.each([{ action: 'continue', modifiedInput: 'Begin, please.' }, { updatedPrompt: 'Begin, please.' }])(
    '%j: the model reads the changed prompt',
    async (output) => {
      const { session, model } = await noting({ hooks: hookOn('UserPromptSubmit', output) }, [{ text: 'Done.' }]);

      expect(shownTo(model, 0)).toEqual(['user: Begin, please.']);
      expect(session.messages[0]).toMatchObject({ content: [{ type: 'text', text: 'Begin, please.' }] });
    },
  );

  it.each([
    { action: 'abort', reason: 'no such words' },
    { action: 'skip', reason: 'no such words' },
    { decision: 'block', reason: 'no such words' },
  ])('%j: the prompt is blocked', async (output) => {
    const { session, result } = await noting({ hooks: hookOn('UserPromptSubmit', output) }, []);

    expect(result).toMatchObject({ subtype: 'error', error: expect.stringContaining('no such words') });
    expect(session.messages).toEqual([]);
  });

  it.each([
    ['abort', [], true],
    ['continue', [], true], // says nothing about the question, which stays without an answer
  ] as const)('%s of PermissionRequest leaves the call refused', async (action, expected, isError) => {
    const { ran, events } = await noting({
      alwaysAsk: ['note'],
      hooks: hookOn('PermissionRequest', { action, reason: 'no' }),
    });

    expect(ran).toEqual(expected);
    expect(only(events, 'tool_result')).toMatchObject([{ isError }]);
  });
});

describe('continue: false', () => {
  const stop = { continue: false, stopReason: 'closing time' };

  it.each<[HookEvent, Partial<SessionOptions>, number]>([
    ['PreToolUse', {}, 0],
    ['PostToolUse', {}, 1],
    ['PermissionRequest', { alwaysAsk: ['note'] }, 0],
    ['Notification', { disallowedTools: ['mcp__none__such'] }, 0],
    ['UserPromptSubmit', {}, 0],
  ])('of %s ends the run with the reason, and the model is not asked again', async (event, options, runs) => {
    const { ran, result, model, session, events } = await noting({ hooks: hookOn(event, stop), ...options });

    expect(result).toMatchObject({ subtype: 'error', error: expect.stringContaining('closing time') });
    expect(only(events, 'error')).toMatchObject([{ code: 'STOPPED_BY_HOOK' }]);
    expect(ran).toHaveLength(runs);
    expect(model.requests.length).toBe(runs === 0 && event !== 'PreToolUse' && event !== 'PermissionRequest' ? 0 : 1);
    const asked = session.messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    expect(asked).toHaveLength(model.requests.length); // the call has its answer
  });

  it('of PostToolUseFailure ends the run too', async () => {
    const { result, model } = await noting({ hooks: hookOn('PostToolUseFailure', stop) }, [
      { toolCalls: [{ name: 'fails' }] },
    ]);

    expect(result).toMatchObject({ subtype: 'error', error: expect.stringContaining('closing time') });
    expect(model.requests).toHaveLength(1);
  });

  it.each<[HookEvent, Partial<SessionOptions>]>([
    ['SubagentStart', {}],
    ['PreToolUse', {}],
  ])('of %s ends the runs around a subagent', async (event, options) => {
    const script = cast({
      main: [{ toolCalls: [task('one')] }],
      one: [{ toolCalls: [{ name: 'note' }] }],
    });
    const hooks: HookConfig = { [event]: [{ matcher: 'one|note', hooks: [printing(stop)] }] };

    const { result, ran, model } = await noting({ agents: agentsNamed('one'), hooks, ...options }, script);

    expect(result).toMatchObject({ subtype: 'error', error: expect.stringContaining('closing time') });
    expect(ran).toEqual([]);
    expect(model.requests).toHaveLength(event === 'SubagentStart' ? 1 : 2);
  });

  it.each<HookEvent>(['Stop', 'TaskCompleted'])('of %s lets the run end as it was about to', async (event) => {
    const { result, model } = await noting({ hooks: hookOn(event, stop) }, [{ text: 'Done.' }]);

    expect(result).toMatchObject({ subtype: 'success', content: 'Done.' });
    expect(model.requests).toHaveLength(1);
  });

  it('of SessionStart keeps the session from being made', async () => {
    const { provider } = scriptedProvider([]);
    const options = { provider, model: 'm', store: memoryStore(), hooks: hookOn('SessionStart', stop) };

    await expect(scriptedSession([], options)).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });
});

describe('what a hook says to the host', () => {
  const speaking: readonly HookEvent[] = [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PermissionRequest',
    'PostToolUse',
    'SubagentStart',
    'SubagentStop',
    'Stop',
    'TaskCompleted',
  ];
  const script = () =>
    cast({
      main: [{ toolCalls: [{ name: 'note' }, task('one')] }, { text: 'Done.' }],
      one: [{ text: 'Worked.' }],
    });

  it.each(speaking)('%s: systemMessage is a notification, and the output one of its own', async (event) => {
    const hooks = hookOn(event, { systemMessage: 'careful' });
    const { seen, events } = await noting({ alwaysAsk: ['note'], agents: agentsNamed('one'), hooks }, script());
    const told = seen.map(innermost);

    expect(notificationsIn(told, 'hook_message')).toContain('careful');
    expect(notificationsIn(told, 'hook_output').join()).toContain(`${event} hook`);
    expect(JSON.stringify(events)).not.toContain('careful'); // observers are told, not readers
  });

  it.each(speaking)('%s: suppressOutput hides the output, not the message', async (event) => {
    const hooks = hookOn(event, { systemMessage: 'careful', suppressOutput: true });
    const { seen } = await noting({ alwaysAsk: ['note'], agents: agentsNamed('one'), hooks }, script());
    const told = seen.map(innermost);

    expect(notificationsIn(told, 'hook_message')).toContain('careful');
    expect(notificationsIn(told, 'hook_output')).toEqual([]);
  });
});

describe('a hook that asks', () => {
  const ask = { permissionDecision: 'ask', permissionDecisionReason: 'look at it' };

  it.each<[string, Partial<SessionOptions>]>([
    ['an allow rule matches', { autoApprove: ['note'] }],
    ['everything is bypassed', { permissionMode: 'bypassPermissions' }],
    ['it is a tool of the host', {}],
    [
      'another hook allows',
      {
        hooks: {
          PreToolUse: [{ hooks: [async () => ({ permissionDecision: 'allow' }) as const, async () => ask as never] }],
        },
      },
    ],
  ])('forces the question although %s', async (_, options) => {
    const asked: string[] = [];
    const canUseTool = async (name: string) => {
      asked.push(name);
      return { behavior: 'deny', message: 'no' } as const;
    };

    const { ran } = await noting({ hooks: hookOn('PreToolUse', ask), canUseTool, ...options });

    expect([asked, ran]).toEqual([['note'], []]);
  });

  it('and nobody answers: the call is refused', async () => {
    const { ran, events } = await noting({ hooks: hookOn('PreToolUse', ask), autoApprove: ['note'] });

    expect(ran).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ isError: true }]);
  });
});

describe('hooks that force another turn', () => {
  const more = async () => ({ continue: true, continueReason: 'more' });
  const notDone = async () => ({ blockCompletion: true, blockReason: 'not done' });
  const again = async () => ({ decision: 'block', reason: 'again' }) as const;
  const used = (events: readonly AgentEvent[]) => notificationsIn(events.map(innermost), 'forced_turns_used_up').length;

  it('all of Stop, TaskCompleted and SubagentStop: three further turns in a row for each agent, and a word about it', async () => {
    let mainTurns = 0;
    let childTurns = 0;
    const script: Script = ({ instruction }) => {
      if (instruction.startsWith('Be one.')) return { text: `Worked ${++childTurns}.` };
      mainTurns += 1;
      return mainTurns === 1 ? { toolCalls: [task('one')] } : { text: `Done ${mainTurns}.` };
    };
    const stopsTwice = { count: 0 };
    const { result, seen } = await noting(
      {
        agents: agentsNamed('one'),
        hooks: {
          Stop: [{ hooks: [async () => (stopsTwice.count++ < 2 ? more() : {})] }],
          TaskCompleted: [{ hooks: [notDone] }],
          SubagentStop: [{ hooks: [again] }],
        },
      },
      script,
    );

    expect(childTurns).toBe(1 + 3);
    expect(mainTurns).toBe(2 + 3); // Stop twice, TaskCompleted once
    expect(result).toMatchObject({ subtype: 'success', content: 'Done 5.' });
    expect(used(seen.filter((event) => event.type !== 'subagent'))).toBe(2); // one of the subagent, one of the main agent
  });

  it('begin a new row with the next message of the user', async () => {
    const { session, model } = await noting({ hooks: { Stop: [{ hooks: [more] }] } }, () => ({ text: 'Done.' }));

    const first = model.requests.length;
    await say(session, 'And now?');

    expect([first, model.requests.length]).toEqual([4, 8]);
  });

  it('go on counting after a restart', async () => {
    const store = expiring(memoryStore());
    const hooks: HookConfig = { Stop: [{ hooks: [more] }] };
    const { session, model } = await scriptedSession(() => ({ text: 'Done.' }), { store, hooks });
    await session.send('Begin.');
    const stream = session.stream();
    // The second reply, forced by a hook, is the last that this process gets to.
    while (model.requests.length < 2) await stream.next();
    const { session: again, model: later } = await resumed(store, session.sessionId, () => ({ text: 'Done.' }), {
      hooks,
    });

    await read(again);

    expect(later.requests).toHaveLength(3);
    expect(shownTo(later, 2).filter((line) => line === 'user: more')).toHaveLength(3);
  });
});
