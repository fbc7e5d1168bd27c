import { describe, expect, it } from 'vitest';
import { about, bash, journaled, judged } from '../../test/permission-values.ts';
import type { CanUseTool } from './types.ts';

const asked = { text: 'ls' };
const made = { text: 'curl x' };
const denied = { deny: ['Bash(curl *)'] };

/** What the model reads, what observers see and what the log keeps of a call. */
async function traceOf(...[call, rules, more]: Parameters<typeof judged>) {
  const { context, notes } = journaled();
  const { events, value } = await judged(call, rules, { ...more, context });
  const shown = events.findLast((event) => event.type === 'permission');
  return { text: value.output, shown, note: notes.get('permission:c1') };
}

describe('an input that is not the model’s', () => {
  it('is in the event, the log and the refusal when it is denied', async () => {
    const call = { ...about(bash, 'curl x'), requested: asked };

    const { text, shown, note } = await traceOf(call, denied);

    expect(text).toBe('Bash was not run: after a hook or a handler changed its input, the rule Bash(curl *) denies it');
    expect(shown).toMatchObject({ decision: 'deny', input: made });
    expect(note).toMatchObject({ decision: 'deny', input: made });
  });

  it('is in the event and the log when it is allowed', async () => {
    const call = { ...about(bash, 'curl x'), requested: asked };

    const { text, shown, note } = await traceOf(call, { mode: 'bypassPermissions' });

    expect([text, shown, note]).toMatchObject(['ran', { input: made }, { input: made }]);
  });

  it('is told of canUseTool when that has made it', async () => {
    const canUseTool: CanUseTool = async () => ({ behavior: 'allow', updatedInput: made });

    const { text, shown, note } = await traceOf(about(bash, 'ls', { requested: asked }), denied, { canUseTool });

    expect(text).toMatch(/^Bash was not run: after canUseTool changed its input, the rule/);
    expect([shown, note]).toMatchObject([{ input: made }, { input: made }]);
  });

  it('is not spoken of when it is the model’s, in whatever order its keys stand', async () => {
    for (const requested of [{ text: 'curl x' }, undefined]) {
      const call = { ...about(bash, 'curl x'), ...(requested ? { requested } : {}) };

      const { text, shown, note } = await traceOf(call, denied);

      expect(text).toBe('Bash was not run: the rule Bash(curl *) denies it');
      expect([shown, note]).not.toContainEqual(expect.objectContaining({ input: expect.anything() }));
    }
  });
});
