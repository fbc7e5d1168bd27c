import { type ToolCall, ValidationError } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, bash, edit, journaled, judged, outcome, policyOf, read } from '../../test/permission-values.ts';
import { answering, nextTurn } from '../../test/values.ts';
import { permissionHandler } from './permission-handler.ts';
import type { CanUseTool } from './types.ts';

const allow: CanUseTool = async () => ({ behavior: 'allow' });
const says =
  (answer: unknown): CanUseTool =>
  async () =>
    answer as never;

describe('canUseTool', () => {
  it('answers as in the specification: readonly allowed, rm -rf denied with its message, the rest asked', async () => {
    const canUseTool: CanUseTool = async (toolName, input, options) => {
      if (options.toolKind === 'readonly') return { behavior: 'allow' };
      const { text } = input as { text: string };
      if (toolName === 'Bash' && text.includes('rm -rf')) return { behavior: 'deny', message: 'Dangerous command' };
      return { behavior: 'ask' };
    };

    const denied = await judged(about(bash, 'rm -rf /'), {}, { canUseTool });

    expect(await outcome(about(read, 'a'), {}, { canUseTool })).toBe('can_use_tool: allow');
    expect(denied.value).toEqual({
      output: 'Bash was not run: Dangerous command',
      isError: true,
      interrupted: 'not_run',
    });
    expect(await outcome(about(edit, 'a'), {}, { canUseTool })).toBe('nobody: deny');
  });

  it('is told of the call, and asked about readonly tools and those of the host too', async () => {
    const seen: unknown[] = [];
    const canUseTool: CanUseTool = async (...args) => {
      seen.push(args);
      return { behavior: 'allow' };
    };
    const { context } = journaled({}, { agentName: 'helper', depth: 2 });
    const call = about(read, 'a');

    await judged(call, { own: ['Read'] }, { canUseTool, context, sandboxed: () => 'outside' });

    const options = {
      signal: call.signal,
      toolKind: 'readonly',
      callId: 'c1',
      agentName: 'helper',
      depth: 2,
      unsandboxed: true,
      reason: expect.any(String) as string,
      suggestedRule: 'Read(/workspace/a)',
      resolvedPaths: ['/workspace/a'],
    };
    expect(seen).toEqual([['Read', { text: 'a' }, options]]);
  });

  it.each([
    ['an ask rule', { ask: ['Read'] }, {}],
    ['a hook', {}, { approval: 'ask' }],
  ] as const)('is asked first when %s forces the question, and its allow is enough', async (_, rules, more) => {
    const call: ToolCall = { ...about(read, 'a'), ...more };

    expect(await outcome(call, rules, { canUseTool: allow })).toBe('can_use_tool: allow');
    expect(await outcome(call, { ...rules, own: ['Read'] })).toBe('nobody: deny');
  });

  it('is not asked where a rule, a hook, the mode or the sandbox has decided', async () => {
    const canUseTool = says(undefined);

    expect(await outcome(about(bash, 'ls'), { allow: ['Bash(ls)'] }, { canUseTool })).toBe('allow_rule: allow');
    expect(await outcome({ ...about(bash, 'ls'), approval: 'allow' }, {}, { canUseTool })).toBe('hook: allow');
    expect(await outcome(about(bash, 'ls'), { mode: 'bypassPermissions' }, { canUseTool })).toBe('mode: allow');
    expect(await outcome(about(bash, 'ls'), {}, { canUseTool, sandboxed: () => 'auto_allow' })).toBe('sandbox: allow');
    expect(await outcome(about(bash, 'ls'), {}, { canUseTool, sandboxed: () => 'inside' })).toBe('can_use_tool: deny');
  });

  class Answer {
    readonly behavior = 'allow';
  }
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['a text', 'allow'],
    ['a list', ['allow']],
    ['another case', { behavior: 'Allow' }],
    ['a space', { behavior: 'allow ' }],
    ['a text object', { behavior: new String('allow') }],
    ['another key', { allow: true }],
    ['a decision of hooks', { permissionDecision: 'allow' }],
    ['a key nobody heeds', { behavior: 'allow', updated_input: {} }],
    ['an inherited one', Object.create({ behavior: 'allow' })],
    ['one of a class', new Answer()],
    [
      'a getter',
      {
        get behavior() {
          return 'allow';
        },
      },
    ],
    [
      'a getter that throws',
      {
        get behavior() {
          throw new Error('no');
        },
      },
    ],
    [
      'an input behind a getter',
      {
        behavior: 'allow',
        get updatedInput() {
          return {};
        },
      },
    ],
    ['a proxy', new Proxy({ behavior: 'allow' }, {})],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw new Error('no');
          },
        },
      ),
    ],
    ['a function', Object.assign(() => undefined, { behavior: 'allow' })],
    ['an input that cannot be copied', { behavior: 'allow', updatedInput: { text: () => 'x' } }],
    ['a promise inside', { behavior: Promise.resolve('allow') }],
  ])('refuses when it answers with %s', async (_, answer) => {
    expect(await outcome(about(read, 'a'), { mode: 'default' }, { canUseTool: says(answer) })).toBe(
      'can_use_tool: deny',
    );
  });

  it('takes a plain object of another realm, and one without a prototype', async () => {
    const bare = Object.assign(Object.create(null), { behavior: 'allow' });

    expect(await outcome(about(read, 'a'), {}, { canUseTool: says(bare) })).toBe('can_use_tool: allow');
  });

  it('refuses when it throws, at once or later, without the run failing', async () => {
    const atOnce = (() => {
      throw new Error('broken');
    }) as CanUseTool;
    const later: CanUseTool = async () => Promise.reject(new ValidationError('broken'));

    expect(await outcome(about(read, 'a'), {}, { canUseTool: atOnce })).toBe('can_use_tool: deny');
    expect(await outcome(about(read, 'a'), {}, { canUseTool: later })).toBe('can_use_tool: deny');
  });

  it('is not waited for after an abort, and its signal says so', async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const hangs: CanUseTool = (_name, _input, { signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const refused = outcome(about(bash, 'ls', { signal: abort.signal }), {}, { canUseTool: hangs });
    await nextTurn();

    abort.abort();

    expect(await refused).toBe('aborted: deny');
    expect(signals[0]?.aborted).toBe(true);
  });

  it('is not asked in a run that was aborted before', async () => {
    let asked = false;
    const canUseTool: CanUseTool = async () => ((asked = true), { behavior: 'allow' });

    expect(await outcome(about(bash, 'ls', { signal: AbortSignal.abort() }), {}, { canUseTool })).toBe('aborted: deny');
    expect(asked).toBe(false);
  });

  it('cannot change the judged input by changing the one it is shown', async () => {
    const call = about(bash, 'ls');
    const canUseTool: CanUseTool = async (_, input) => {
      (input as { text: string }).text = 'rm -rf /';
      return { behavior: 'allow' };
    };

    await judged(call, {}, { canUseTool });

    expect(call.input).toEqual({ text: 'ls' });
  });

  it('is asked in the mode the call came in, whatever the mode becomes meanwhile', async () => {
    const policy = policyOf();
    const canUseTool: CanUseTool = async (_, input) => {
      policy.mode = 'bypassPermissions';
      return (input as { text: string }).text === 'ls'
        ? { behavior: 'allow', updatedInput: { text: 'rm x' } }
        : { behavior: 'deny', message: 'no' };
    };
    const handler = permissionHandler({ policy, canUseTool });

    const { value } = await collect(handler.wrapToolCall!(about(bash, 'ls'), answering(), journaled().context));

    expect(value.isError).toBe(true);
  });

  it('is told of as a question before its answer is', async () => {
    const { events } = await judged(about(bash, 'ls'), {}, { canUseTool: allow });

    expect(events.map((event) => event.type === 'permission' && `${event.step}: ${event.decision}`)).toEqual([
      'default: ask',
      'can_use_tool: allow',
    ]);
  });
});
