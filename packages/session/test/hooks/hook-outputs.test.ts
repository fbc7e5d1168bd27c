import { describe, expect, it } from 'vitest';
import type { HookEvent, SessionOptions } from '../../src/index.ts';
import { agentsNamed, cast, task } from '../support/agent-scripts.ts';
import { only, shownTo } from '../support/makers.ts';
import { hookOn, noting } from '../support/noting.ts';
import { innermost, notificationsIn } from '../support/watched.ts';

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
