import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { EVENTS, FACTS, fold, pre } from '../../test/fold.ts';
import { hanging, lying, notifications, telling } from '../../test/hooked.ts';
import { foldHooks } from './fold-hooks.ts';
import { hookSet } from './hook-set.ts';
import type { HookBehavior, HookCallback, HookConfig, HookEvent, HookOutput } from './types.ts';

const toolFacts = FACTS.PreToolUse;
const GATING: readonly HookEvent[] = ['PreToolUse', 'PermissionRequest', 'UserPromptSubmit'];
const boom: HookCallback = async () => {
  throw new Error('boom');
};

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
