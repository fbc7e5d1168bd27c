import type { AgentEvent, AgentHandler, RunContext, ToolCall, ToolResult } from '@x/core';
import { isCallWaits, messageOf } from '@x/core/internal';
import { forwarded } from '@x/core/streams';
import { type FoldOptions, foldHooks } from './fold-hooks.ts';
import type { HookSet } from './hook-set.ts';
import type { RunMemory } from './run-memory.ts';
import { stopRun } from './stop-run.ts';
import { callOptions, factsOfCall, withContext } from './tool-hooks.ts';
import type { HookFacts } from './types.ts';

type Events<R> = AsyncGenerator<AgentEvent, R, void>;

/** Milliseconds that hooks may take once the run was stopped. */
const AFTER_ABORT_MS = 500;

/** The hooks after execution: after a tool that has started, and after a subagent that did not end by itself. */
export function afterToolHooks(
  set: HookSet,
  memoryOf: (run: RunContext) => RunMemory,
): NonNullable<AgentHandler['wrapToolCall']> {
  return async function* afterTool(call, next, run) {
    const seen = { started: false };
    let result: ToolResult;
    try {
      const event = (told: AgentEvent) => {
        if (told.type === 'tool_started' && told.id === call.id) seen.started = true;
        return told;
      };
      result = yield* forwarded(() => next(withContextNote(call, memoryOf(run))), { event });
    } catch (error) {
      if (isCallWaits(error)) throw error; // nothing has ended
      yield* subagentsEnded(failed(messageOf(error)), { set, run, memory: memoryOf(run), call });
      throw error;
    }
    const { output, isError } = result;
    const end: SubagentEnd = isError ? failed(output) : { success: true, result_summary: output };
    yield* subagentsEnded(end, { set, run, memory: memoryOf(run), call });
    if (!seen.started) return result;
    return yield* result.isError ? afterFailure(result, { set, run, call }) : afterSuccess(result, { set, run, call });
  };
}

/** Attaches the hooks' context to the start record of the call: after a crash in the tool its answer still contains it. */
function withContextNote(call: ToolCall, { contexts }: RunMemory): ToolCall {
  const context = contexts.get(call.id);
  if (!context) return call;
  const note = { type: 'note', name: `context:${call.id}`, data: context } as const;
  return { ...call, records: [...(call.records ?? []), note] };
}

interface Ended {
  readonly set: HookSet;
  readonly run: RunContext;
  readonly call: ToolCall;
}

async function* afterSuccess(result: ToolResult, { set, run, call }: Ended): Events<ToolResult> {
  const facts = { ...factsOfCall(call), tool_output: result.output };
  const folded = await foldHooks('PostToolUse', facts, { set, options: callOptions(call, run) });
  yield* folded.events;
  if (folded.stop !== undefined) await stopRun(run, folded.stop);
  const { data: _, ...spoken } = result; // must not keep what a hook has taken out of the output
  const shown = folded.changed ? { ...spoken, output: folded.facts.tool_output } : result;
  return withContext(shown, remarks(folded));
}

async function* afterFailure(result: ToolResult, { set, run, call }: Ended): Events<ToolResult> {
  const options = optionsAfter(call, run);
  const isInterrupt = result.interrupted === 'unknown' && options.atMostMs !== undefined;
  const isTimeout = result.interrupted === 'unknown' && !isInterrupt;
  const facts: HookFacts['PostToolUseFailure'] = {
    ...factsOfCall(call),
    error: result.output,
    error_type: isInterrupt ? 'interrupted' : isTimeout ? 'timeout' : 'tool_error',
    is_interrupt: isInterrupt,
    is_timeout: isTimeout,
  };
  const folded = await foldHooks('PostToolUseFailure', facts, { set, options });
  yield* folded.events;
  if (folded.stop !== undefined) await stopRun(run, folded.stop);
  return withContext(result, remarks(folded));
}

/** A denial is too late for the call; the model reads the reason. */
function remarks(folded: { context: readonly string[]; decision?: string; reason?: string }): readonly string[] {
  const { context, decision, reason } = folded;
  return decision === 'deny' && reason !== undefined ? [...context, reason] : context;
}

type SubagentEnd = Omit<HookFacts['SubagentStop'], 'agent_type'>;

function failed(error: string): SubagentEnd {
  return { success: false, result_summary: '', error };
}

/** Ends subagents of a call that failed, or that a tool has ended with its output: nothing can start another turn of them. */
async function* subagentsEnded(
  end: SubagentEnd,
  { set, run, memory, call }: Ended & { memory: RunMemory },
): Events<void> {
  const children = memory.children.get(call.id) ?? [];
  memory.children.delete(call.id);
  for (const child of children) {
    if (child.ended) continue;
    const facts = { agent_type: child.run.agentName, ...end };
    const { agentName, depth } = child.run;
    const options = { ...optionsAfter(call, run), agentName, depth };
    yield* (await foldHooks('SubagentStop', facts, { set, options })).events;
  }
}

/** Like `callOptions`, but hooks for a stopped run are not stopped with it; they get little time. */
function optionsAfter(call: ToolCall, run: RunContext): FoldOptions {
  const options = callOptions(call, run);
  if (!options.signal.aborted) return options;
  return { ...options, signal: new AbortController().signal, atMostMs: AFTER_ABORT_MS };
}
