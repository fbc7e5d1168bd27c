import { AgentError, type AgentHandler, defineTool, type Tool } from '@x/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bash, hanging, hooked, lying, telling } from '../../test/hooked.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import { unknownCall } from '../../test/values.ts';
import type { HookConfig, HookOutput } from './types.ts';

const pre = (output: HookOutput, matcher?: string): HookConfig => ({
  PreToolUse: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [lying(output)] }],
});

describe('PreToolUse', () => {
  it('keeps a denied call from running, and says why', async () => {
    const { call, ran } = hooked(pre({ permissionDecision: 'deny', permissionDecisionReason: 'not on Fridays' }));

    const { events, value } = await call();

    expect(value).toEqual({ output: 'Bash was not run: not on Fridays', isError: true, interrupted: 'not_run' });
    expect(ran).toEqual([]);
    expect(events).toContainEqual({
      type: 'permission',
      id: 'c1',
      decision: 'deny',
      step: 'hook',
      reason: 'not on Fridays',
    });
  });

  it('runs for the tool it is for, and for no other', async () => {
    const { call, ran } = hooked(pre({ permissionDecision: 'deny' }, 'Bash'));

    await call();
    await call(bash('ls', 'BashOutput'));
    await call(bash('ls', 'MyBash'));

    expect(ran.map(({ name }) => name)).toEqual(['BashOutput', 'MyBash']);
  });

  it('changes the input, which is parsed again by the schema of the tool', async () => {
    const schema = z.object({ command: z.string(), limit: z.number().default(5) });
    const tool = defineTool({
      name: 'Bash',
      description: 'd',
      inputSchema: schema,
      execute: async () => '',
    }) as Tool;
    const { call, ran } = hooked(pre({ updatedInput: { command: 'ls -l' } }));
    const other = hooked(pre({ updatedInput: { command: 'ls -l', evil: true } }));

    await call({ tool });
    await other.call({ tool });

    expect(ran[0]?.input).toEqual({ command: 'ls -l', limit: 5 });
    expect(other.ran).toEqual([]);
  });

  it('does not run a call whose changed input does not fit', async () => {
    const { call, ran } = hooked(pre({ updatedInput: { command: 17 }, permissionDecision: 'allow' }));

    const { value } = await call();

    expect(value).toMatchObject({ isError: true, interrupted: 'not_run' });
    expect(value.output).toContain('a hook changed its input to one that does not fit: command must be a string');
    expect(ran).toEqual([]);
  });

  it('passes on the very input when no hook changes it', async () => {
    const { call, ran } = hooked(pre({}));
    const input = { command: 'ls' };

    await call({ input });

    expect(ran[0]?.input).toBe(input);
  });

  it.each([
    ['allow', 'allow'],
    ['ask', 'ask'],
  ] as const)('hands on %s as the approval of the call', async (permissionDecision, approval) => {
    const { call, ran } = hooked(pre({ permissionDecision }));

    await call();

    expect(ran[0]?.approval).toBe(approval);
  });

  it('takes away an approval that is not of a hook', async () => {
    const forging: AgentHandler = { name: 'f', wrapToolCall: (call, next) => next({ ...call, approval: 'allow' }) };
    const { call, ran } = hooked(pre({}), { around: [forging] });

    await call();
    await call({ tool: undefined });

    expect(ran.map((one) => Object.hasOwn(one, 'approval'))).toEqual([false, false]);
  });

  it('answers a skipped call with the reason, as a success', async () => {
    const { call, ran } = hooked(pre({ action: 'skip', reason: 'formatted already' }));

    const { value } = await call();

    expect(value).toEqual({ output: 'formatted already', isError: false, interrupted: 'not_run' });
    expect(ran).toEqual([]);
  });

  it.each([
    ['a call that ran', {}, '{"command":"ls"}\n\nit is Friday'],
    [
      'a call that was denied',
      { permissionDecision: 'deny' } as const,
      'Bash was not run: a hook denied it\n\nit is Friday',
    ],
  ])('puts context behind the answer of %s', async (_what, decision, output) => {
    const { call } = hooked(pre({ additionalContext: 'it is Friday', ...decision }));

    expect((await call()).value.output).toBe(output);
  });

  it('keeps the contexts of two calls apart', async () => {
    const { hook } = telling((input) => ({ additionalContext: (input as { tool_use_id: string }).tool_use_id }));
    const { call } = hooked({ PreToolUse: [{ hooks: [hook] }] });

    const both = await Promise.all([
      call({ id: 'a' }, { output: 'A', isError: false }),
      call({ id: 'b' }, { output: '', isError: false }),
    ]);

    expect(both.map(({ value }) => value.output)).toEqual(['A\n\na', 'b']);
  });

  it('says its context once, also when a call of that id comes again', async () => {
    const { hook, inputs } = telling();
    const once = async () => (inputs.length === 1 ? { additionalContext: 'once' } : {});
    const { call } = hooked({ PreToolUse: [{ hooks: [hook, once] }] });

    const outputs = [(await call()).value.output, (await call()).value.output];

    expect(outputs).toEqual(['{"command":"ls"}\n\nonce', '{"command":"ls"}']);
  });

  it('ends the run: this call and the next ones do not run, then the model is not asked again', async () => {
    const { hook } = telling((input) =>
      (input as { tool_use_id: string }).tool_use_id === 'c1' ? { continue: false, stopReason: 'out of budget' } : {},
    );
    const { call, ran, pipeline, run } = hooked({ PreToolUse: [{ hooks: [hook] }] });

    const first = await call();
    const second = await call({ id: 'c2' });
    const going = pipeline.beforeModel([], run);

    expect([first.value, second.value]).toMatchObject([
      { output: 'Bash was not run: a hook ended the run: out of budget', interrupted: 'not_run' },
      { output: 'Bash was not run: a hook ended the run: out of budget', interrupted: 'not_run' },
    ]);
    expect(ran).toEqual([]);
    await expect(going).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK', details: { stopReason: 'out of budget' } });
    await expect(going).rejects.toBeInstanceOf(AgentError);
  });

  it('ends the run of a subagent along with the one around it, and goes on ending it after a crash', async () => {
    const parent = journaledRun({ notes: { hooks_stopped: 'enough' } }).run;
    const { call, ran } = hooked({}, { run: journaledRun({ parent }).run });

    const { value } = await call();

    expect(value.output).toContain('a hook ended the run: enough');
    expect(ran).toEqual([]);
  });

  it('does not hold up a run that no hook has ended (control)', async () => {
    const { pipeline, run } = hooked({});

    expect(await pipeline.beforeModel([], run)).toEqual([]);
  });

  it('does not run the call when the run is stopped meanwhile', async () => {
    const abort = new AbortController();
    const { hook, started } = hanging();
    const { run } = journaledRun({ signal: abort.signal });
    const { call, ran } = hooked({ PreToolUse: [{ hooks: [hook] }], timeoutBehavior: 'ignore' }, { run });

    const calling = call();
    await started;
    abort.abort();

    expect((await calling).value).toMatchObject({ isError: true, interrupted: 'not_run' });
    expect(ran).toEqual([]);
  });

  it('ends with the run also where a handler has given the call another signal', async () => {
    const abort = new AbortController();
    const { hook, started } = hanging();
    const { run } = journaledRun({ signal: abort.signal });
    const { call, ran } = hooked({ PreToolUse: [{ hooks: [hook] }] }, { run });

    const calling = call({ signal: new AbortController().signal });
    await started;
    abort.abort();
    await calling;

    expect(ran).toEqual([]);
  });

  it('is not asked about a tool that does not exist', async () => {
    const { hook, inputs } = telling({ permissionDecision: 'deny' });
    const { call } = hooked({ PreToolUse: [{ hooks: [hook] }] });

    await call(unknownCall());

    expect(inputs).toEqual([]);
  });

  it('names the agent whose call it is', async () => {
    const { hook, inputs } = telling();
    const run = { ...journaledRun({ parent: journaledRun().run }).run, agentName: 'reviewer' };
    const { call } = hooked({ PreToolUse: [{ hooks: [hook] }] }, { run });

    await call();

    expect(inputs).toMatchObject([{ agent_name: 'reviewer', agent_depth: 1 }]);
  });
});

describe('recheck', () => {
  const { run } = journaledRun();

  it('is the call as the hooks leave it, with their approval alone', async () => {
    const { hooks } = hooked(pre({ updatedInput: { command: 'pwd' } }), { run });

    const judged = await hooks.recheck({ ...bash(), approval: 'allow' }, run);

    expect(judged).toMatchObject({ call: { input: { command: 'pwd' } } });
    expect('call' in judged && Object.hasOwn(judged.call, 'approval')).toBe(false);
  });

  it.each<[HookOutput, string]>([
    [{ permissionDecision: 'deny', permissionDecisionReason: 'no' }, 'no'],
    [{ action: 'skip', reason: 'done' }, 'done'],
    [{ updatedInput: {} }, 'a hook changed its input to one that does not fit: command is required'],
    [{ continue: false, stopReason: 'x' }, 'a hook ended the run: x'],
  ])('is a refusal after %j', async (output, refusal) => {
    const own = journaledRun().run;

    expect(await hooked(pre(output), { run: own }).hooks.recheck(bash(), own)).toMatchObject({ refusal });
  });

  it('says its context with the answer of the call', async () => {
    const contextual: HookConfig = pre({ additionalContext: 'seen' });
    const rechecking: AgentHandler = {
      name: 'permissions',
      async *wrapToolCall(call, next) {
        await made.hooks.recheck(call, made.run);
        return yield* next(call);
      },
    };
    const made = hooked(contextual, { between: [rechecking] });

    expect((await made.call({}, { output: 'out', isError: false })).value.output).toBe('out\n\nseen\n\nseen');
  });
});
