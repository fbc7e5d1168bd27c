import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { EVENTS, FACTS, fold, pre } from '../../test/fold.ts';
import { hanging, lying, notifications, telling } from '../../test/hooked.ts';
import type { HookCallback } from './types.ts';

describe('foldHooks', () => {
  it.each(EVENTS)('tells a hook of %s the common facts and its own', async (event) => {
    const { hook, inputs } = telling();

    await fold(event, { [event]: [{ hooks: [hook] }] });

    expect(inputs).toEqual([
      {
        session_id: 's1',
        hook_event_name: event,
        hook_execution_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        project_dir: '/project',
        permission_mode: 'plan',
        agent_name: 'main',
        agent_depth: 0,
        ...FACTS[event],
      },
    ]);
  });

  it('gives each hook an id of its own', async () => {
    const { hook, inputs } = telling();

    await fold('PreToolUse', pre(hook, hook));

    expect(new Set(inputs.map(({ hook_execution_id }) => hook_execution_id)).size).toBe(2);
  });

  it('runs the hooks in the order of the config, each with what the one before has left', async () => {
    const appending =
      (letter: string): HookCallback =>
      async (input) => {
        const { tool_input } = input as { tool_input: { command: string } };
        await new Promise((resolve) => setTimeout(resolve, letter === 'a' ? 10 : 0));
        return { updatedInput: { command: tool_input.command + letter } };
      };

    const { facts, changed } = await fold('PreToolUse', {
      PreToolUse: [{ hooks: [appending('a'), appending('b')] }, { matcher: 'Bash', hooks: [appending('c')] }],
    });

    expect(facts.tool_input).toEqual({ command: 'lsabc' });
    expect(changed).toBe(true);
  });

  it('side by side, the last one to answer would win (control)', async () => {
    const answers: string[] = [];
    const slow = async () => (await new Promise((resolve) => setTimeout(resolve, 10)), answers.push('a'));
    const fast = async () => answers.push('b');

    await Promise.all([slow(), fast()]);

    expect(answers).toEqual(['b', 'a']);
  });

  it('does not let a hook change its input in place', async () => {
    const meddling: HookCallback = async (input) => {
      (input as { tool_input: { command: string } }).tool_input.command = 'rm -rf /';
      return {};
    };
    const { hook, inputs } = telling();

    const { facts, changed } = await fold('PreToolUse', pre(meddling, hook));

    expect(inputs[0]).toMatchObject({ tool_input: { command: 'ls' } });
    expect(facts.tool_input).toEqual({ command: 'ls' });
    expect(changed).toBe(false);
  });

  it('deny wins over an allow before it, and nothing after it runs', async () => {
    const { hook, inputs } = telling({ permissionDecision: 'allow' });

    const folded = await fold(
      'PreToolUse',
      pre(
        lying({ permissionDecision: 'allow' }),
        lying({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
        hook,
      ),
    );

    expect(folded).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(inputs).toEqual([]);
  });

  it('ask wins over allow, whichever comes first', async () => {
    const allow = lying({ permissionDecision: 'allow', permissionDecisionReason: 'fine' });
    const ask = lying({ permissionDecision: 'ask', permissionDecisionReason: 'hm' });

    expect(await fold('PreToolUse', pre(allow, ask))).toMatchObject({ decision: 'ask', reason: 'hm' });
    expect(await fold('PreToolUse', pre(ask, allow))).toMatchObject({ decision: 'ask', reason: 'hm' });
  });

  const decision = fc.constantFrom('allow', 'ask', 'deny', undefined);
  test.prop([fc.array(decision, { maxLength: 6 })])('the strictest decision holds, in any order', async (decisions) => {
    const hooks = decisions.map((one) => lying(one ? { permissionDecision: one } : {}));

    const folded = await fold('PreToolUse', pre(...hooks));

    const strictest = (['deny', 'ask', 'allow'] as const).find((one) => decisions.includes(one));
    expect(folded.decision).toBe(strictest);
  });

  it('collects context in order, and the later value of a variable', async () => {
    const hooks = [
      lying({ additionalContext: 'one', env: { A: '1', B: '1' } }),
      lying({ additionalContext: '' }),
      lying({ additionalContext: 'two', env: { A: '2' } }),
    ];

    const folded = await fold('SessionStart', { SessionStart: [{ hooks }] });

    expect(folded.context).toEqual(['one', 'two']);
    expect(folded.env).toEqual({ A: '2', B: '1' });
  });

  it('runs nothing when hooks are not enabled, and everything when nothing is said', async () => {
    const { hook, inputs } = telling();

    await fold('PreToolUse', { enabled: false, ...pre(hook) });
    const before = inputs.length;
    await fold('PreToolUse', pre(hook));

    expect([before, inputs.length]).toEqual([0, 1]);
  });

  it('shows what a hook has said, unless it asks not to', async () => {
    const loud = lying({ additionalContext: 'x', systemMessage: 'careful' });
    const quiet = lying({ additionalContext: 'y', systemMessage: 'hush', suppressOutput: true });

    const { events } = await fold('PreToolUse', pre(loud, quiet));

    expect(notifications(events, 'hook_output')).toEqual([
      'PreToolUse hook (a function): {"additionalContext":"x","systemMessage":"careful"}',
    ]);
    expect(notifications(events, 'hook_message')).toEqual(['careful', 'hush']);
  });

  it('tells of a denial where nothing can be denied', async () => {
    const { events } = await fold('SessionEnd', {
      SessionEnd: [{ hooks: [lying({ action: 'abort', reason: 'stay' })] }],
    });

    expect(notifications(events, 'hook_message')).toEqual([
      'the SessionEnd hook (a function) denies what cannot be denied: stay',
    ]);
  });

  it('ends at once when the run is stopped, with no answer', async () => {
    const abort = new AbortController();
    const { hook, started } = hanging();
    const { hook: after, inputs } = telling();

    const folding = fold('PreToolUse', pre(hook, after), abort.signal);
    const signal = await started;
    abort.abort();
    const folded = await folding;

    expect(folded.aborted).toBe(true);
    expect(folded.decision).toBeUndefined();
    expect(signal.aborted).toBe(true);
    expect(inputs).toEqual([]);
  });

  it('does not begin when the run is stopped already', async () => {
    const { hook, inputs } = telling();

    const folded = await fold('PreToolUse', pre(hook), AbortSignal.abort());

    expect([folded.aborted, inputs.length]).toEqual([true, 0]);
  });

  it('takes the abort of a hook that aborts the run itself as one', async () => {
    const abort = new AbortController();
    const suicidal: HookCallback = () => {
      abort.abort();
      return new Promise(() => undefined);
    };

    expect((await fold('PreToolUse', pre(suicidal), abort.signal)).aborted).toBe(true);
  });
});
