import { describe, expect, it, vi } from 'vitest';
import { about, bash, journaled, judged } from '../../test/permission-values.ts';
import type { CanUseTool } from './types.ts';

const stop: CanUseTool = async () => ({ behavior: 'deny', message: 'Not now.', interrupt: true });
const never: CanUseTool = async () => {
  throw new Error('asked again');
};
const refusal = { output: 'Bash was not run: Not now.', isError: true, interrupted: 'not_run' };

describe('a deny with interrupt', () => {
  it('is durable and told before the run is ended', async () => {
    const { context, notes } = journaled();
    const seen: unknown[] = [];
    const interrupt = () => void seen.push(notes.get('permission:c1'));

    const { value, events } = await judged(about(bash, 'ls'), {}, { context, canUseTool: stop, interrupt });

    const decision = { decision: 'deny', step: 'can_use_tool', reason: 'Not now.', interrupt: true };
    expect(seen).toEqual([decision]);
    expect(events.at(-1)).toEqual({ type: 'permission', id: 'c1', ...decision });
    expect(value).toEqual(refusal);
  });

  it('ends the run again after a crash, without another question', async () => {
    const before = journaled();
    await judged(about(bash, 'ls'), {}, { context: before.context, canUseTool: stop });
    const interrupt = vi.fn();

    const { context } = journaled(Object.fromEntries(before.notes));
    const { value } = await judged(about(bash, 'ls'), {}, { context, canUseTool: never, interrupt });

    expect(interrupt).toHaveBeenCalledOnce();
    expect(value).toEqual(refusal);
  });

  it.each([
    ['interrupt that is no boolean', { interrupt: 'yes' }],
    ['interrupt that is no boolean', { interrupt: 1 }],
    ['interrupt that is no boolean', { interrupt: null }],
    ['interupt', { interupt: true }],
    ['abort', { abort: true }],
    ['updatedInput', { updatedInput: {} }],
  ])('is named where it means nothing: %s', async (what, more) => {
    const interrupt = vi.fn();
    const canUseTool: CanUseTool = async () => ({ behavior: 'deny', message: 'Not now.', ...more }) as never;

    const { value } = await judged(about(bash, 'ls'), {}, { canUseTool, interrupt });

    expect(value.output).toBe(`Bash was not run: Not now. (canUseTool gave ${what}, which means nothing)`);
    expect(interrupt).not.toHaveBeenCalled();
  });

  it('denies all the same where nobody can end the run', async () => {
    expect((await judged(about(bash, 'ls'), {}, { canUseTool: stop })).value).toEqual(refusal);
  });
});
