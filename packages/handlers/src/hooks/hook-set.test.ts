import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { telling } from '../../test/hooked.ts';
import { hookSet } from './hook-set.ts';
import type { HookConfig } from './types.ts';

const options = { workspace: memoryWorkspace(), sessionId: 's1', permissionMode: () => 'default' };
const { hook } = telling();

describe('hookSet', () => {
  it.each([
    ['PreToolUse', { tool_name: 'x', tool_use_id: 'c', tool_input: {} }],
    ['PostToolUse', { tool_name: 'x', tool_use_id: 'c', tool_input: {}, tool_output: '' }],
    ['PermissionRequest', { tool_name: 'x', tool_use_id: 'c', tool_input: {} }],
    ['Notification', { notification_type: 'x', message: '' }],
    ['SessionStart', { source: 'x' }],
    ['SessionEnd', { reason: 'x', total_turns: 0, total_tokens: 0 }],
    ['SubagentStart', { agent_type: 'x', task_description: '', parent_agent_id: '' }],
    ['SubagentStop', { agent_type: 'x', success: true, result_summary: '' }],
    ['Compaction', { trigger: 'x', messages_before: 0, tokens_before: 0 }],
  ] as const)('%s goes by the value that its matcher is for', (event, facts) => {
    const config: HookConfig = {
      [event]: [
        { matcher: 'x', hooks: [hook] },
        { matcher: 'y|xx', hooks: [hook] },
      ],
    };

    expect(hookSet(config, options).hooksFor(event, facts as never)).toHaveLength(1);
  });

  it.each([
    ['UserPromptSubmit', { user_prompt: 'x', has_images: false, image_count: 0 }],
    ['Stop', { stop_reason: 'end', final_response: '', stop_hook_active: false }],
    ['TaskCompleted', { task_id: 'x', result: '' }],
  ] as const)('%s pays no heed to a matcher', (event, facts) => {
    const config: HookConfig = { [event]: [{ matcher: 'nothing', hooks: [hook] }] };

    expect(hookSet(config, options).hooksFor(event, facts as never)).toHaveLength(1);
  });

  it('counts time in seconds: 60, the default of the config, or what a command says itself', () => {
    const command = { type: 'command', command: 'x' } as const;
    const some = hookSet({ defaultTimeout: 5 }, options);

    expect(hookSet({}, options).timeoutMs(command)).toBe(60_000);
    expect([some.timeoutMs(command), some.timeoutMs(hook), some.timeoutMs({ ...command, timeout: 10 })]).toEqual([
      5_000, 5_000, 10_000,
    ]);
  });

  it('is not changed by what the host does to its config afterwards', () => {
    const hooks = [hook];
    const set = hookSet({ Stop: [{ hooks }] }, options);

    hooks.push(hook);

    expect(set.hooksFor('Stop', { stop_reason: '', final_response: '', stop_hook_active: false })).toHaveLength(1);
  });

  it.each([-1, 1.5, Number.NaN])('refuses %s as the number of further turns', (maxForcedTurns) => {
    expect(() => hookSet({}, { ...options, maxForcedTurns })).toThrow('maxForcedTurns');
  });
});
