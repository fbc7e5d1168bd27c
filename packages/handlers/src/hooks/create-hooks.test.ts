import { type AgentEvent, ValidationError } from '@x/core';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { hanging, hooked, lying, notifications, telling } from '../../test/hooked.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import { createHooks } from './create-hooks.ts';
import type { HookConfig, HookOutput } from './types.ts';

const { signal } = new AbortController();
const options = { workspace: memoryWorkspace(), sessionId: 's1', permissionMode: () => 'default' };

describe('createHooks', () => {
  it('refuses a config that cannot be honoured', () => {
    const config = { PreTool: [] } as HookConfig;

    expect(() => createHooks(config, options)).toThrow(ValidationError);
  });
});

describe('Notification', () => {
  const told: AgentEvent = { type: 'notification', kind: 'fallback_model', message: 'on to the next' };

  it('is told of what the host is told', async () => {
    const { hook, inputs } = telling();
    const { pipeline, run } = hooked({ Notification: [{ matcher: 'fallback_model', hooks: [hook] }] });

    await pipeline.notify(told, run);
    await pipeline.notify({ type: 'turn_end', turn: 1 }, run);
    await pipeline.notify({ ...told, kind: 'other' }, run);

    expect(inputs).toMatchObject([{ notification_type: 'fallback_model', message: 'on to the next' }]);
  });

  it('is not told of what hooks cause, so that it cannot call itself', async () => {
    const { hook, inputs } = telling({ systemMessage: 'again' });
    const { run, emitted } = journaledRun();
    const boom = lying('broken');
    const { pipeline } = hooked({ Notification: [{ hooks: [hook, boom] }], failureBehavior: 'error' }, { run });

    await pipeline.notify(told, run);
    for (const event of emitted.slice()) await pipeline.notify(event, run);

    expect(inputs).toHaveLength(1);
    expect(emitted.map((event) => event.type === 'notification' && event.kind)).toEqual([
      'hook_output',
      'hook_message',
      'hook_failed',
    ]);
  });

  it('can end the run', async () => {
    const { pipeline, run } = hooked({ Notification: [{ hooks: [lying({ continue: false, stopReason: 'seen' })] }] });

    await pipeline.notify(told, run);

    await expect(pipeline.beforeModel([], run)).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });
});

describe('Compaction', () => {
  const facts = { trigger: 'auto', messagesBefore: 12, tokensBefore: 3_000 } as const;
  const compact = (output: HookOutput) => {
    const { hook, inputs } = telling(output);
    const { hooks, run } = hooked({ Compaction: [{ matcher: 'auto', hooks: [hook] }] });
    return { blocked: () => hooks.compaction(facts, run), inputs };
  };

  it('is told how much there is', async () => {
    const { blocked, inputs } = compact({});

    expect(await blocked()).toEqual({ blocked: false });
    expect(inputs).toMatchObject([{ trigger: 'auto', messages_before: 12, tokens_before: 3_000 }]);
  });

  it.each<HookOutput>([{ blockCompaction: true }, { action: 'abort' }, { action: 'skip' }])(
    '%j blocks it',
    async (output) => {
      expect(await compact(output).blocked()).toEqual({ blocked: true });
    },
  );

  it('ends the run', async () => {
    await expect(compact({ continue: false }).blocked()).rejects.toMatchObject({ code: 'STOPPED_BY_HOOK' });
  });

  it('replaces nothing once the run is stopped', async () => {
    const { run } = journaledRun({ signal: AbortSignal.abort() });
    const { hooks } = hooked({ Compaction: [{ hooks: [lying({})] }] }, { run });

    expect(await hooks.compaction(facts, run)).toEqual({ blocked: true });
  });
});

describe('SessionStart', () => {
  it('gives variables and context', async () => {
    const { hook, inputs } = telling({ env: { BRANCH: 'main' }, additionalContext: 'on main' });
    const { hooks } = hooked({ SessionStart: [{ matcher: 'resume', hooks: [hook] }] });

    const started = await hooks.sessionStart('startup', { signal });
    const resumed = await hooks.sessionStart('resume', { signal });

    expect(started).toEqual({ env: {} });
    expect(resumed).toEqual({ env: { BRANCH: 'main' }, additionalContext: 'on main' });
    expect(inputs).toMatchObject([{ source: 'resume', agent_name: 'main', agent_depth: 0 }]);
  });

  it('can keep the session from starting', async () => {
    const { hooks } = hooked({ SessionStart: [{ hooks: [lying({ continue: false, stopReason: 'closed' })] }] });

    await expect(hooks.sessionStart('fork', { signal })).rejects.toMatchObject({
      code: 'STOPPED_BY_HOOK',
      details: { stopReason: 'closed' },
    });
  });

  it('tells whoever listens', async () => {
    const { hooks } = hooked({ SessionStart: [{ hooks: [lying({ systemMessage: 'hello' })] }] });
    const events: AgentEvent[] = [];

    await hooks.sessionStart('startup', { signal, emit: (event) => void events.push(event) });
    await hooks.sessionStart('startup', { signal });

    expect(notifications(events, 'hook_message')).toEqual(['hello']);
  });
});

describe('SessionEnd', () => {
  it('is told how much the session has used, and cannot keep it open', async () => {
    const { hook, inputs } = telling({ continue: false });
    const { hooks } = hooked({ SessionEnd: [{ matcher: 'user_exit', hooks: [hook] }] });

    await hooks.sessionEnd('user_exit', { turns: 3, tokens: 400 }, { signal });
    await hooks.sessionEnd('error', { turns: 3, tokens: 400 }, { signal });

    expect(inputs).toMatchObject([{ reason: 'user_exit', total_turns: 3, total_tokens: 400 }]);
  });

  it('is not waited for when closing is stopped', async () => {
    const abort = new AbortController();
    const { hook, started } = hanging();
    const { hooks } = hooked({ SessionEnd: [{ hooks: [hook] }] });

    const ending = hooks.sessionEnd('other', { turns: 0, tokens: 0 }, { signal: abort.signal });
    await started;
    abort.abort();

    expect(await ending).toBeUndefined();
  });
});
