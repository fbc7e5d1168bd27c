import type { AgentEvent, AgentHandler, RunContext } from '@x/core';
import { afterToolHooks } from './after-tool-hooks.ts';
import { type FoldOptions, foldHooks, isOfHooks } from './fold-hooks.ts';
import { type HookOptions, type HookSet, hookSet } from './hook-set.ts';
import { runHooks } from './run-hooks.ts';
import { runMemories } from './run-memory.ts';
import { stoppedBecause, stoppedByHook, stopRun } from './stop-run.ts';
import { type ToolHooks, toolHooks } from './tool-hooks.ts';
import type { HookConfig, HookFacts } from './types.ts';

/** Context of hooks outside of a run. */
export interface SessionHookContext {
  readonly signal: AbortSignal;
  /** Called with the `notification` events of the hooks; default: they are dropped. */
  readonly emit?: (event: AgentEvent) => void;
}
/** Facts about a pending compaction. */
export interface CompactionFacts {
  readonly trigger: 'manual' | 'auto';
  readonly messagesBefore: number;
  readonly tokensBefore: number;
}
/** The hooks of a session as two handlers, and methods for the events that no handler sees. */
export interface Hooks {
  /** Outside of the permissions: prompts, calls before they are judged, subagents, the end of a run, notifications. */
  readonly outer: AgentHandler;
  /** Inside of the permissions: calls that have run. */
  readonly inner: AgentHandler;
  /**
   * Runs the `PreToolUse` hooks. Returns the call as they leave it, its input parsed by the tool's schema and `approval` theirs alone, or
   * the result that answers it instead.
   */
  readonly preToolUse: ToolHooks['preToolUse'];
  /** The same for a call whose input was changed after `outer` has seen it; its events are emitted on the run. */
  readonly recheck: ToolHooks['recheck'];
  /** Runs the `PermissionRequest` hooks. `ask` when none has decided. */
  readonly permissionRequest: ToolHooks['permissionRequest'];
  /** Runs the `Compaction` hooks. @throws AgentError `STOPPED_BY_HOOK` */
  compaction(facts: CompactionFacts, run: RunContext): Promise<{ blocked: boolean; reason?: string }>;
  /** Runs the `SessionStart` hooks; the later value of a variable wins. @throws AgentError `STOPPED_BY_HOOK` */
  sessionStart(
    source: HookFacts['SessionStart']['source'],
    context: SessionHookContext,
  ): Promise<{ env: Readonly<Record<string, string>>; additionalContext?: string }>;
  /** Runs the `SessionEnd` hooks; their answers cannot keep the session open. */
  sessionEnd(
    reason: HookFacts['SessionEnd']['reason'],
    totals: { readonly turns: number; readonly tokens: number },
    context: SessionHookContext,
  ): Promise<void>;
}

/** Creates hooks from their config; nothing needs to be closed. @throws ValidationError for an invalid config */
export function createHooks(config: HookConfig, options: HookOptions): Hooks {
  const set = hookSet(config, options);
  const memoryOf = runMemories();
  const tools = toolHooks(set, memoryOf);
  const outer: AgentHandler = {
    name: 'hooks',
    ...runHooks(set, memoryOf),
    wrapToolCall: tools.wrapToolCall,
    beforeModelRewriteHistory(messages, run) {
      const stopped = stoppedBecause(run);
      if (stopped !== undefined) throw stoppedByHook(stopped);
      return messages;
    },
    onEvent: (event, run) => notify(event, { set, run }),
  };
  const inner: AgentHandler = { name: 'hooks-after-tools', wrapToolCall: afterToolHooks(set, memoryOf) };
  const { preToolUse, recheck, permissionRequest } = tools;
  return { outer, inner, preToolUse, recheck, permissionRequest, ...betweenRuns(set) };
}

function betweenRuns(set: HookSet): Pick<Hooks, 'compaction' | 'sessionStart' | 'sessionEnd'> {
  return {
    async compaction({ trigger, messagesBefore, tokensBefore }, run) {
      const facts = { trigger, messages_before: messagesBefore, tokens_before: tokensBefore };
      const folded = await foldHooks('Compaction', facts, { set, options: run });
      for (const event of folded.events) run.emit(event);
      if (folded.stop !== undefined) throw stoppedByHook(folded.stop);
      const blocked = folded.aborted || folded.decision === 'deny';
      return { blocked, ...(folded.reason === undefined ? {} : { reason: folded.reason }) };
    },
    async sessionStart(source, context) {
      const folded = await foldHooks('SessionStart', { source }, { set, options: ofSession(context) });
      for (const event of folded.events) context.emit?.(event);
      if (folded.stop !== undefined) throw stoppedByHook(folded.stop);
      const additionalContext = folded.context.join('\n\n');
      return { env: folded.env, ...(additionalContext === '' ? {} : { additionalContext }) };
    },
    async sessionEnd(reason, { turns, tokens }, context) {
      const facts = { reason, total_turns: turns, total_tokens: tokens };
      const folded = await foldHooks('SessionEnd', facts, { set, options: ofSession(context) });
      for (const event of folded.events) context.emit?.(event);
    },
  };
}

function ofSession({ signal }: SessionHookContext): FoldOptions {
  return { agentName: 'main', depth: 0, signal };
}

async function notify(event: AgentEvent, { set, run }: { set: HookSet; run: RunContext }): Promise<void> {
  if (event.type !== 'notification' || isOfHooks(event.kind)) return;
  const facts = { notification_type: event.kind, message: event.message };
  const folded = await foldHooks('Notification', facts, { set, options: run });
  for (const told of folded.events) run.emit(told);
  if (folded.stop !== undefined) await stopRun(run, folded.stop);
}
