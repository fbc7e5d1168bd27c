import type { Tool } from '@x/core';
import { describe, expect, it } from 'vitest';
import { about, outcome, plain } from '../../test/permission-values.ts';
import type { PermissionMode } from './types.ts';

/** A tool that wants a question about one of its calls. */
const careful: Tool = { ...plain, asks: (input) => (JSON.stringify(input).includes('send') ? 'it sends' : undefined) };
const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions'];

describe('a call that its tool wants to be asked about', () => {
  it.each(MODES)('is refused in mode %s when nobody can be asked, whatever rule or hook allows it', async (mode) => {
    const call = about(careful, 'send');

    expect(await outcome(call, { mode, allow: ['plain'] })).toBe('nobody: deny');
    expect(await outcome({ ...call, approval: 'allow' }, { mode })).toBe('nobody: deny');
  });

  it.each(MODES)('runs in mode %s when the host allows it', async (mode) => {
    const canUseTool = async () => ({ behavior: 'allow' }) as const;

    expect(await outcome(about(careful, 'send'), { mode }, { canUseTool })).toBe('can_use_tool: allow');
  });

  it('is denied without a question by a rule, and in plan mode', async () => {
    const canUseTool = async () => ({ behavior: 'allow' }) as const;

    expect(await outcome(about(careful, 'send'), { mode: 'default', deny: ['plain'] }, { canUseTool })).toBe(
      'deny_rule: deny',
    );
    expect(await outcome(about(careful, 'send'), { mode: 'plan' }, { canUseTool })).toBe('mode: deny');
  });

  it('is like any other when the tool gives no reason', async () => {
    expect(await outcome(about(careful, 'look'), { mode: 'bypassPermissions' })).toBe('mode: allow');
    expect(await outcome(about(careful, 'look'), { mode: 'default', allow: ['plain'] })).toBe('allow_rule: allow');
  });

  it('is refused when the tool cannot say', async () => {
    const broken: Tool = {
      ...plain,
      asks() {
        throw new Error('no idea');
      },
    };

    expect(await outcome(about(broken, 'send'), { mode: 'bypassPermissions' })).toBe('input: deny');
  });
});
