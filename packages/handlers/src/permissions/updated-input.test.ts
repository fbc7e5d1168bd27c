import type { ToolCall } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, bash, journaled, judged, policyOf } from '../../test/permission-values.ts';
import { answering } from '../../test/values.ts';
import { permissionHandler } from './permission-handler.ts';
import type { CanUseTool, Recheck } from './types.ts';

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
