import type { ToolKind } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { answering, callOf, run, tool, unknownCall } from '../../test/values.ts';
import { checkMode, type PermissionMode, type PermissionPolicy, permissionModeHandler } from './mode-handler.ts';

/** What the handler makes of one call. */
async function judged(policy: PermissionPolicy, call = callOf()) {
  return await collect(permissionModeHandler(policy).wrapToolCall!(call, answering('ran'), run()));
}

describe('permissionModeHandler', () => {
  const runs: readonly (readonly [PermissionMode, ToolKind, 'own' | 'built-in', boolean])[] = [
    ['default', 'readonly', 'built-in', true],
    ['default', 'readonly', 'own', true],
    ['default', 'write', 'built-in', false],
    ['default', 'write', 'own', true],
    ['default', 'execute', 'built-in', false],
    ['default', 'execute', 'own', true],
    ['plan', 'readonly', 'built-in', true],
    ['plan', 'readonly', 'own', true],
    ['plan', 'write', 'built-in', false],
    ['plan', 'write', 'own', false],
    ['plan', 'execute', 'built-in', false],
    ['plan', 'execute', 'own', false],
    ['bypassPermissions', 'readonly', 'built-in', true],
    ['bypassPermissions', 'write', 'built-in', true],
    ['bypassPermissions', 'write', 'own', true],
    ['bypassPermissions', 'execute', 'built-in', true],
    ['bypassPermissions', 'execute', 'own', true],
  ];

  it.each(runs)('in mode %s, a %s tool that is %s: runs %s (P01, P03, P04)', async (mode, kind, whose, isRun) => {
    const { events, value } = await judged({ mode, isOwn: () => whose === 'own' }, callOf(tool('t', { kind })));

    expect(value.isError).toBe(!isRun);
    expect(events).toEqual([
      { type: 'permission', id: 'c1', decision: isRun ? 'allow' : 'deny', step: 'mode', reason: expect.any(String) },
    ]);
    expect(value.interrupted).toBe(isRun ? undefined : 'not_run');
  });

  it('says in a refusal how to allow the call (P08)', async () => {
    const { value } = await judged({ mode: 'default', isOwn: () => false }, callOf(tool('Bash', { kind: 'execute' })));

    expect(value.output).toMatch(/^Bash was not run: .*permissionMode 'bypassPermissions'/);
  });

  it('counts a tool without a kind as one that executes (P12)', async () => {
    expect((await judged({ mode: 'default', isOwn: () => false }, callOf(tool('t')))).value.isError).toBe(true);
  });

  it('lets a call of no tool through, to be answered as unknown', async () => {
    expect((await judged({ mode: 'plan', isOwn: () => false }, unknownCall())).value.output).toBe('ran');
  });

  it('reads the mode at each check (S18)', async () => {
    const policy: PermissionPolicy = { mode: 'plan', isOwn: () => true };
    const before = await judged(policy);

    policy.mode = 'default';

    expect([before.value.isError, (await judged(policy)).value.isError]).toEqual([true, false]);
  });

  it('judges the tool that will run, not the one that was asked for', async () => {
    const own = tool('own', { kind: 'readonly' });
    const swapped = { ...callOf(own), tool: tool('Bash', { kind: 'execute' }) };

    expect((await judged({ mode: 'default', isOwn: (used) => used === own }, swapped)).value.isError).toBe(true);
  });
});

describe('checkMode', () => {
  it.each(['default', 'plan', 'bypassPermissions'])('takes %s', (mode) => {
    expect(checkMode(mode)).toBe(mode);
  });

  it.each(['', 'Default', 'bypass', 'acceptEdits', 'toString', undefined, null, 7, ['plan']])(
    'refuses %j (P11)',
    (mode) => {
      expect(() => checkMode(mode)).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'permissionMode' }),
      );
    },
  );
});
