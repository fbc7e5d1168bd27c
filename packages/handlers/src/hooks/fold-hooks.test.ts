import { fc, test } from '@fast-check/vitest';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { hanging, lying, notifications, telling } from '../../test/hooked.ts';
import { foldHooks } from './fold-hooks.ts';
import { hookSet } from './hook-set.ts';
import type { HookBehavior, HookCallback, HookConfig, HookEvent, HookFacts, HookOutput } from './types.ts';

const toolFacts = { tool_name: 'Bash', tool_use_id: 'c1', tool_input: { command: 'ls' } };
const promptFacts = { user_prompt: 'hi', has_images: false, image_count: 0 };
const FACTS: HookFacts = {
  PreToolUse: toolFacts,
  PostToolUse: { ...toolFacts, tool_output: 'out' },
  PostToolUseFailure: { ...toolFacts, error: 'e', error_type: 'tool_error', is_interrupt: false, is_timeout: false },
  Notification: { notification_type: 'fallback_model', message: 'm' },
  UserPromptSubmit: promptFacts,
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other', total_turns: 1, total_tokens: 2 },
  Stop: { stop_reason: 'end', final_response: 'done', stop_hook_active: false },
  SubagentStart: { agent_type: 'a', task_description: 't', parent_agent_id: 'main' },
  SubagentStop: { agent_type: 'a', success: true, result_summary: 'r' },
  Compaction: { trigger: 'auto', messages_before: 1, tokens_before: 2 },
  PermissionRequest: toolFacts,
  TaskCompleted: { task_id: 't', result: 'r' },
};
const EVENTS = Object.keys(FACTS) as HookEvent[]; // safe: the record has every event as a key
const GATING: readonly HookEvent[] = ['PreToolUse', 'PermissionRequest', 'UserPromptSubmit'];

function fold<E extends HookEvent>(event: E, config: HookConfig, signal = new AbortController().signal) {
  const workspace = memoryWorkspace({ cwd: '/project' });
  const set = hookSet(config, { workspace, sessionId: 's1', permissionMode: () => 'plan' });
  return foldHooks(event, FACTS[event], { set, options: { agentName: 'main', depth: 0, signal } });
}
const pre = (...hooks: readonly HookCallback[]): HookConfig => ({ PreToolUse: [{ hooks }] });
const boom: HookCallback = async () => {
  throw new Error('boom');
};

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

describe('a hook that does not answer', () => {
  const stuck: HookCallback = () => new Promise<HookOutput>(() => undefined);
  const behaviors: readonly (HookBehavior | undefined)[] = [undefined, 'ignore', 'error', 'deny', 'ask'];
  const cases = EVENTS.flatMap((event) => behaviors.map((behavior) => [event, behavior] as const));

  it.each(cases)('%s, failureBehavior %s', async (event, behavior) => {
    const config: HookConfig = {
      [event]: [{ hooks: [boom] }],
      timeoutBehavior: 'ignore',
      ...(behavior ? { failureBehavior: behavior } : {}),
    };

    const { decision, events } = await fold(event, config);

    expect(decision).toBe(expectedDecision(event, behavior));
    expect(notifications(events, 'hook_failed')).toEqual(expectedReports(event, behavior, 'failed: boom'));
  });

  it.each(cases)('%s, timeoutBehavior %s', async (event, behavior) => {
    const config: HookConfig = {
      [event]: [{ hooks: [stuck] }],
      defaultTimeout: 0.005,
      failureBehavior: 'ignore',
      ...(behavior ? { timeoutBehavior: behavior } : {}),
    };

    const { decision, events } = await fold(event, config);

    expect(decision).toBe(expectedDecision(event, behavior));
    const text = 'did not answer within 0.005 seconds';
    expect(notifications(events, 'hook_failed')).toEqual(expectedReports(event, behavior, text));
  });

  function expectedDecision(event: HookEvent, behavior: HookBehavior | undefined): string | undefined {
    if (!GATING.includes(event) || behavior === 'ignore') return undefined;
    return behavior === 'ask' ? 'ask' : 'deny';
  }
  function expectedReports(event: HookEvent, behavior: HookBehavior | undefined, text: string): string[] {
    const effective = behavior ?? (GATING.includes(event) ? 'error' : 'ignore');
    const name = text.startsWith('failed') ? 'boom' : 'stuck';
    return effective === 'ignore' ? [] : [`the ${event} hook ${name} ${text}`];
  }

  it.each<[string, unknown]>([
    ['a wrong word', { permissionDecision: 'Allow' }],
    ['a text', 'allow'],
    ['true', true],
    ['a list', [{ permissionDecision: 'allow' }]],
    ['a number as reason', { permissionDecision: 'allow', permissionDecisionReason: 1 }],
  ])('is also one that answers %s, and allows nothing', async (_what, output) => {
    expect((await fold('PreToolUse', pre(lying(output)))).decision).toBe('deny');
  });

  it('is also one that throws at once, and one whose answer cannot be read', async () => {
    const atOnce: HookCallback = () => {
      throw new Error('at once');
    };
    const trap: HookCallback = async () =>
      Object.defineProperty({}, 'permissionDecision', {
        enumerable: true,
        get: () => {
          throw new Error('trap');
        },
      });

    expect((await fold('PreToolUse', pre(atOnce))).decision).toBe('deny');
    expect((await fold('PreToolUse', pre(trap))).decision).toBe('deny');
  });

  it('is also one that cannot be told its input', async () => {
    const workspace = memoryWorkspace();
    const { hook, inputs } = telling({ permissionDecision: 'allow' });
    const set = hookSet(pre(hook), { workspace, sessionId: 's1', permissionMode: () => 'default' });
    const facts = { ...toolFacts, tool_input: { size: 1n } };
    const options = { agentName: 'main', depth: 0, signal: new AbortController().signal };

    const folded = await foldHooks('PreToolUse', facts, { set, options });

    expect([folded.decision, inputs.length]).toEqual(['deny', 0]);
  });

  it('does not keep the others from running when it is ignored', async () => {
    const { decision } = await fold('PreToolUse', {
      ...pre(boom, lying({ permissionDecision: 'allow' })),
      failureBehavior: 'ignore',
    });

    expect(decision).toBe('allow');
  });

  it('an allow that comes after the time is up does not count', async () => {
    const { hook, started } = hanging();

    const folded = await fold('PreToolUse', { ...pre(hook), defaultTimeout: 0.005 });

    expect((await started).aborted).toBe(true);
    expect(folded).toMatchObject({ decision: 'deny', aborted: false });
  });

  it('a rejection that comes after the time is up troubles nobody', async () => {
    const late: HookCallback = (_input, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => queueMicrotask(() => reject(new Error('late'))), { once: true });
      });

    expect((await fold('PreToolUse', { ...pre(late), defaultTimeout: 0.005 })).decision).toBe('deny');
  });

  it('tells the model less than the host: what went wrong may quote anything', async () => {
    const leaking: HookCallback = async () => {
      throw new Error('token=secret');
    };

    const { reason, events } = await fold('PreToolUse', pre(leaking));

    expect(reason).toBe('the PreToolUse hook leaking failed');
    expect(notifications(events, 'hook_failed')).toEqual(['the PreToolUse hook leaking failed: token=secret']);
  });
});
