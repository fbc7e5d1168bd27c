import { memoryWorkspace } from '@x/core/testing';
import { foldHooks } from '../src/hooks/fold-hooks.ts';
import { hookSet } from '../src/hooks/hook-set.ts';
import type { HookCallback, HookConfig, HookEvent, HookFacts } from '../src/hooks/types.ts';

const toolFacts = { tool_name: 'Bash', tool_use_id: 'c1', tool_input: { command: 'ls' } };
const promptFacts = { user_prompt: 'hi', has_images: false, image_count: 0 };
/** What the hooks of each event are told. */
export const FACTS: HookFacts = {
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
export const EVENTS = Object.keys(FACTS) as HookEvent[]; // safe: the record has every event as a key

/** Runs the hooks of a config for one event, with its facts. */
export function fold<E extends HookEvent>(event: E, config: HookConfig, signal = new AbortController().signal) {
  const workspace = memoryWorkspace({ cwd: '/project' });
  const set = hookSet(config, { workspace, sessionId: 's1', permissionMode: () => 'plan' });
  return foldHooks(event, FACTS[event], { set, options: { agentName: 'main', depth: 0, signal } });
}

/** A config with these hooks for `PreToolUse`. */
export const pre = (...hooks: readonly HookCallback[]): HookConfig => ({ PreToolUse: [{ hooks }] });
