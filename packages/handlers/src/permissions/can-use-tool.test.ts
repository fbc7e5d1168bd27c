import { AgentError, type RunContext, type ToolCall, ValidationError } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, bash, edit, journaled, judged, outcome, policyOf, read } from '../../test/permission-values.ts';
import { answering, nextTurn } from '../../test/values.ts';
import { permissionHandler } from './permission-handler.ts';
import type { AskPort, CanUseTool, PermissionAnswer, Recheck } from './types.ts';

const allow: CanUseTool = async () => ({ behavior: 'allow' });
const leaveOpen: CanUseTool = async () => ({ behavior: 'ask' });
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

describe('updatedInput', () => {
  /** What ran, when the host answers with these inputs one after another and then allows. */
  async function changing(inputs: readonly unknown[], rules: object = {}, recheck?: Recheck) {
    const left = [...inputs];
    const canUseTool: CanUseTool = async () => {
      const [updatedInput] = left.splice(0, 1);
      return updatedInput === undefined ? { behavior: 'allow' } : { behavior: 'allow', updatedInput };
    };
    const ran: unknown[] = [];
    const policy = policyOf(rules);
    const handler = permissionHandler({ policy, canUseTool, home: '/home/me', ...(recheck ? { recheck } : {}) });
    const next = (call: ToolCall) => (ran.push(call.input), answering('ran')(call));
    const { context, notes } = journaled();
    const { value } = await collect(handler.wrapToolCall!(about(bash, 'ls'), next, context));
    return { ran, value, note: notes.get('permission:c1') };
  }

  it('takes the place of the input once it was judged', async () => {
    const { ran, note } = await changing([{ text: 'ls -l' }]);

    expect(ran).toEqual([{ text: 'ls -l' }]);
    expect(note).toMatchObject({ decision: 'allow', step: 'can_use_tool', updatedInput: { text: 'ls -l' } });
  });

  it('that is the same changes nothing', async () => {
    const { ran, note } = await changing([{ text: 'ls' }]);

    expect(ran).toEqual([{ text: 'ls' }]);
    expect(note).not.toHaveProperty('updatedInput');
  });

  it('is refused when it does not fit the schema, or a rule denies it', async () => {
    const unfit = await changing([{ command: 'ls' }]);
    const denied = await changing([{ text: 'rm x' }], { deny: ['Bash(rm *)'] });

    expect([unfit.ran, denied.ran]).toEqual([[], []]);
    expect(unfit.value.output).toContain('does not fit');
    expect(denied.value.output).toContain('Bash(rm *)');
  });

  it('is asked about again, at most 3 times', async () => {
    const inputs = ['a', 'b', 'c', 'd'].map((text) => ({ text }));

    expect((await changing(inputs.slice(0, 3))).ran).toEqual([{ text: 'c' }]);
    const many = await changing(inputs);
    expect(many.ran).toEqual([]);
    expect(many.value.output).toContain('more than 3 times');
  });

  it('goes through the hooks again, which may refuse it or change it once more', async () => {
    const refuses: Recheck = async () => ({ refusal: 'a hook says no' });
    const changes: Recheck = async (call) => ({ call: { ...call, input: { text: 'rm x' } } });
    const breaks: Recheck = async () => Promise.reject(new Error('broken'));

    expect((await changing([{ text: 'x' }], {}, refuses)).value.output).toContain('a hook says no');
    expect((await changing([{ text: 'x' }], { deny: ['Bash(rm *)'] }, changes)).ran).toEqual([]);
    expect((await changing([{ text: 'x' }], {}, breaks)).ran).toEqual([]);
  });

  it('is not covered by what a hook has allowed before', async () => {
    const answers = [{ text: 'other' }, undefined];
    const seen: unknown[] = [];
    const canUseTool: CanUseTool = async (_, input) => {
      seen.push(input);
      return { behavior: 'allow', updatedInput: answers.shift() };
    };
    const call: ToolCall = { ...about(bash, 'ls'), approval: 'allow' };

    await judged(call, { ask: ['Bash(ls)'] }, { canUseTool });

    expect(seen).toEqual([{ text: 'ls' }, { text: 'other' }]);
  });

  it('reaches the tool as it was given, to be parsed once', async () => {
    const parsed: unknown[] = [];
    const counting = {
      ...bash,
      inputSchema: {
        json: {},
        parse: (value: unknown) => (parsed.push(value), { text: `parsed ${(value as { text: string }).text}` }),
      },
    };
    const canUseTool: CanUseTool = async () => ({ behavior: 'allow', updatedInput: { text: 'rm x' } });

    const { value } = await judged(about(counting, 'ls'), { deny: ['Bash(parsed *)'] }, { canUseTool });

    expect(parsed).toEqual([{ text: 'rm x' }]);
    expect(value.isError).toBe(true);
  });
});

describe('the ask port', () => {
  const port =
    (answer: PermissionAnswer | undefined): AskPort =>
    async () =>
      answer;

  it.each([
    [{ decision: 'approve' }, 'permission_request: allow'],
    [{ decision: 'deny', reason: 'no' }, 'permission_request: deny'],
    [{ decision: 'ask' }, 'nobody: deny'],
    [undefined, 'nobody: deny'],
  ] as const)('answers %j when canUseTool leaves it open, or is not there: %s', async (answer, expected) => {
    expect(await outcome(about(bash, 'ls'), {}, { ask: port(answer) })).toBe(expected);
    expect(await outcome(about(bash, 'ls'), {}, { ask: port(answer), canUseTool: leaveOpen })).toBe(expected);
  });

  it('is always asked before a call is refused for want of an answer, and never after an answer', async () => {
    const requests: { call: ToolCall; run: RunContext; reason: string }[] = [];
    const ask: AskPort = async (request) => void requests.push(request);
    await judged(about(bash, 'ls'), { ask: ['Bash'] }, { ask, canUseTool: leaveOpen });
    await judged(about(bash, 'ls'), {}, { ask, canUseTool: allow });
    await judged(about(read, 'a'), {}, { ask });

    expect(requests).toEqual([
      expect.objectContaining({ reason: 'the rule Bash asks for it', matchedRule: 'Bash', unsandboxed: false }),
    ]);
  });

  it('refuses when it fails, unless a hook stops the run', async () => {
    const breaks: AskPort = async () => Promise.reject(new Error('broken'));
    const stops: AskPort = async () => Promise.reject(new AgentError('stop', { code: 'STOPPED_BY_HOOK' }));

    expect(await outcome(about(bash, 'ls'), {}, { ask: breaks })).toBe('permission_request: deny');
    await expect(judged(about(bash, 'ls'), {}, { ask: stops })).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });

  it('is not waited for after an abort', async () => {
    const abort = new AbortController();
    const refused = outcome(
      about(bash, 'ls', { signal: abort.signal }),
      {},
      { ask: () => new Promise(() => undefined) },
    );
    await nextTurn();

    abort.abort();

    expect(await refused).toBe('aborted: deny');
  });
});
