import { fc, test } from '@fast-check/vitest';
import type { RunRecord, ToolCall } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  about,
  bash,
  edit,
  journaled,
  judged,
  outcome,
  type Rules,
  roundOf,
  withLinks,
} from '../../test/permission-values.ts';
import { canonicalJson } from '../canonical-json.ts';
import { keyOf } from './recorded-answer.ts';
import type { CanUseTool, Recheck } from './types.ts';

const allow: CanUseTool = async () => ({ behavior: 'allow' });
const deny: CanUseTool = async () => ({ behavior: 'deny', message: 'no' });

/** What a run before the restart has left of one call. */
async function leftBy(call: ToolCall, canUseTool: CanUseTool, rules: Rules = {}): Promise<Record<string, unknown>> {
  const { context, records } = journaled();
  await judged(call, rules, { context, canUseTool });
  const notes = records.filter((record): record is Extract<RunRecord, { type: 'note' }> => record.type === 'note');
  // As the log gives it back.
  return JSON.parse(JSON.stringify(Object.fromEntries(notes.map(({ name, data }) => [name, data]))));
}

/** The outcome in a resumed run whose host would deny, had it been asked. */
async function resumed(call: ToolCall, past: Record<string, unknown>, rules: Rules = {}) {
  return await outcome(call, rules, { context: journaled(past).context, canUseTool: deny });
}

describe('an answer of before a restart', () => {
  it('holds for the very same call', async () => {
    const past = await leftBy(about(bash, 'ls'), allow);

    expect(await resumed(about(bash, 'ls'), past)).toBe('recorded_answer: allow');
  });

  it('does not stand for a stricter step than the one that asked', async () => {
    const past = await leftBy(about(bash, 'ls'), allow);
    const asked = await leftBy(about(bash, 'ls'), allow, { ask: ['Bash(ls)'] });

    expect(await resumed(about(bash, 'ls'), past, { ask: ['Bash(ls)'] })).toBe('can_use_tool: deny');
    expect(await resumed(about(bash, 'ls', { approval: 'ask' }), past)).toBe('can_use_tool: deny');
    expect(await resumed(about(bash, 'ls'), asked, { ask: ['Bash(ls)'] })).toBe('recorded_answer: allow');
  });

  it('does not hold where the path leads elsewhere now', async () => {
    const [before, after] = [memoryWorkspace(), await withLinks({ '/home/me/.ssh/x': '' }, { dir: '/home/me/.ssh' })];
    const ask = { ask: ['Edit'] };
    const past = await leftBy(about(edit, 'dir/keys', { workspace: before }), allow, ask);

    expect(await resumed(about(edit, 'dir/keys', { workspace: before }), past, ask)).toBe('recorded_answer: allow');
    expect(await resumed(about(edit, 'dir/keys', { workspace: after }), past, ask)).toBe('can_use_tool: deny');
    expect(await resumed(about(edit, 'dir/keys', { workspace: after }), past)).toBe('can_use_tool: deny');
  });

  it('does not hold where a word of the line leads elsewhere now', async () => {
    const [before, after] = [memoryWorkspace(), await withLinks({ '/elsewhere/x': '' }, { dir: '/elsewhere' })];
    const past = await leftBy(about(bash, 'rm -r dir/x', { workspace: before }), allow);

    expect(await resumed(about(bash, 'rm -r dir/x', { workspace: before }), past)).toBe('recorded_answer: allow');
    expect(await resumed(about(bash, 'rm -r dir/x', { workspace: after }), past)).toBe('can_use_tool: deny');
  });

  it('does not hold for another input, call, tool or directory', async () => {
    const past = await leftBy(about(bash, 'ls'), allow);
    const elsewhere = memoryWorkspace({ cwd: '/elsewhere' });

    expect(await resumed(about(bash, 'ls -l'), past)).toBe('can_use_tool: deny');
    expect(await resumed(about(bash, 'ls', { id: 'c2' }), past)).toBe('can_use_tool: deny');
    expect(await resumed(about({ ...bash, name: 'Sh' }, 'ls'), past)).toBe('can_use_tool: deny');
    expect(await resumed(about(bash, 'ls', { workspace: elsewhere }), past)).toBe('can_use_tool: deny');
  });

  it('never beats a deny rule or plan mode', async () => {
    const past = await leftBy(about(bash, 'ls'), allow);

    expect(await resumed(about(bash, 'ls'), past, { deny: ['Bash(ls)'] })).toBe('deny_rule: deny');
    expect(await resumed(about(bash, 'ls'), past, { mode: 'plan' })).toBe('mode: deny');
  });

  it('is taken once: a handler that runs the call twice is asked the second time', async () => {
    const { context } = journaled(await leftBy(about(bash, 'ls'), allow));

    const first = await outcome(about(bash, 'ls'), {}, { context, canUseTool: deny });
    const second = await outcome(about(bash, 'ls'), {}, { context, canUseTool: deny });

    expect([first, second]).toEqual(['recorded_answer: allow', 'can_use_tool: deny']);
  });

  it('survives a second restart', async () => {
    const { context, notes } = journaled(await leftBy(about(bash, 'ls'), allow));
    await judged(about(bash, 'ls'), {}, { context, canUseTool: deny });

    expect(await resumed(about(bash, 'ls'), Object.fromEntries(notes))).toBe('recorded_answer: allow');
  });

  it('brings its changed input with it, which is judged again', async () => {
    const changes: CanUseTool = async (_, input) =>
      (input as { text: string }).text === 'ls'
        ? { behavior: 'allow', updatedInput: { text: 'ls -l' } }
        : { behavior: 'allow' };
    const past = await leftBy(about(bash, 'ls'), changes);

    expect(await resumed(about(bash, 'ls'), past)).toBe('recorded_answer: allow');
    expect(await resumed(about(bash, 'ls'), past, { deny: ['Bash(ls -l)'] })).toBe('deny_rule: deny');
    expect(await resumed(about(bash, 'ls -l'), past)).toBe('can_use_tool: deny');
  });

  it('does not bring its changed input into another call of the same id, also where a rule allows that input', async () => {
    const changes: CanUseTool = async (_, input) =>
      (input as { text: string }).text === 'ls'
        ? { behavior: 'allow', updatedInput: { text: 'ls -l' } }
        : { behavior: 'allow' };
    const past = await leftBy(about(bash, 'ls'), changes);

    expect(await resumed(about(bash, 'rm x'), past, { allow: ['Bash(ls -l)'] })).toBe('can_use_tool: deny');
  });

  it('does not cover what the hooks make of its changed input now', async () => {
    const changes: CanUseTool = async (_, input) =>
      (input as { text: string }).text === 'ls'
        ? { behavior: 'allow', updatedInput: { text: 'ls -l' } }
        : { behavior: 'allow' };
    const past = await leftBy(about(bash, 'ls'), changes);
    const recheck: Recheck = async (call) => ({ call: { ...call, input: { text: 'rm x' } } });

    const answered = await outcome(
      about(bash, 'ls'),
      {},
      { context: journaled(past).context, canUseTool: deny, recheck },
    );

    expect(answered).toBe('can_use_tool: deny');
  });

  it('is an allow, whatever else a note holds', async () => {
    const { key } = (await leftBy(about(bash, 'ls'), allow))['permission:c1'] as { key: string };

    expect(await resumed(about(bash, 'ls'), { 'permission:c1': { decision: 'deny', key } })).toBe('can_use_tool: deny');
    expect(await resumed(about(bash, 'ls'), { 'permission:c1': { decision: 'allow', key } })).toBe(
      'recorded_answer: allow',
    );
  });

  it('is not made of what was allowed without a question, or refused', async () => {
    const { context, notes } = journaled();
    await judged(about(bash, 'ls'), { mode: 'bypassPermissions' }, { context });

    expect(await resumed(about(bash, 'ls'), Object.fromEntries(notes))).toBe('can_use_tool: deny');
    expect(
      await outcome(
        about(bash, 'ls'),
        {},
        { context: journaled(await leftBy(about(bash, 'ls'), deny)).context, canUseTool: deny },
      ),
    ).toBe('can_use_tool: deny');
  });

  it.each([
    null,
    'allow',
    { decision: 'allow' },
    { decision: 'allow', key: '' },
    { decision: 'allow', key: 7 },
    { decision: 'deny', key: 'x' },
    [],
  ])('is not made of the note %j', async (note) => {
    expect(await resumed(about(bash, 'ls'), { 'permission:c1': note })).toBe('can_use_tool: deny');
  });
});

function keyFor(input: unknown): Promise<string | undefined> {
  const round = roundOf({ ...about(bash, ''), input }, 'default');
  return keyOf(round, round);
}

describe('keyOf', () => {
  test.prop([fc.jsonValue()])('does not depend on the order of keys', async (input) => {
    const turned = JSON.parse(JSON.stringify(input), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ) as unknown;

    expect(await keyFor(input)).toBe(await keyFor(turned));
  });

  test.prop([fc.jsonValue(), fc.jsonValue()])('tells different inputs apart', async (one, other) => {
    const same = JSON.stringify(one) === JSON.stringify(other) || canonicalJson(one) === canonicalJson(other);

    const keys = await Promise.all([one, other].map(keyFor));

    expect(keys[0] === keys[1]).toBe(same);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([10n, new Map(), () => 1, Symbol('x'), new (class {})()])(
    'gives none for what JSON cannot carry',
    async (input) => {
      expect(await keyFor({ input })).toBeUndefined();
    },
  );
});
