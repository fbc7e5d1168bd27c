import type { AgentEvent, RunContext, ToolCall, ToolNext, ToolResult, ToolStream } from '@x/core';
import { messageOf } from '@x/core/internal';
import { noteName } from '../permissions/recorded-answer.ts';
import type { Decision } from '../permissions/types.ts';
import { type FoldOptions, foldHooks } from './fold-hooks.ts';
import type { HookSet } from './hook-set.ts';
import type { RunMemory } from './run-memory.ts';
import { stoppedBecause, stopRun } from './stop-run.ts';
import type { HookFacts } from './types.ts';

/** The answer of the `PermissionRequest` hooks; `ask` leaves the question open. */
export interface HookPermission {
  readonly decision: 'approve' | 'deny' | 'ask';
  readonly reason?: string;
}
export interface ToolHooks {
  preToolUse(call: ToolCall, run: RunContext): AsyncGenerator<AgentEvent, ToolCall | ToolResult, void>;
  recheck(call: ToolCall, run: RunContext): Promise<{ readonly call: ToolCall } | { readonly refusal: string }>;
  permissionRequest(call: ToolCall, run: RunContext): Promise<HookPermission>;
  wrapToolCall(call: ToolCall, next: ToolNext, run: RunContext): ToolStream;
}
/** `input`: the input after a hook's change, if that was refused. */
type Judged =
  | { readonly call: ToolCall }
  | { readonly refusal: string; readonly skipped?: boolean; readonly input?: unknown };

/** The hooks before a call is judged. */
export function toolHooks(set: HookSet, memoryOf: (run: RunContext) => RunMemory): ToolHooks {
  async function* preToolUse(call: ToolCall, run: RunContext): AsyncGenerator<AgentEvent, ToolCall | ToolResult, void> {
    const told: AgentEvent[] = [];
    const isAsked =
      call.tool && stoppedBecause(run) === undefined && set.hooksFor('PreToolUse', factsOfCall(call)).length > 0;
    if (isAsked) yield { type: 'hook_started', id: call.id, hook: 'PreToolUse' };
    const judged = await judge(call, { set, run, memory: memoryOf(run), tell: (event) => told.push(event) });
    yield* told;
    if ('call' in judged) return judged.call;
    const { refusal, skipped = false } = judged;
    const input = 'input' in judged ? { input: judged.input } : {};
    const data: Decision & { input?: unknown } = { decision: 'deny', step: 'hook', reason: refusal, ...input };
    const durable = run.journal.write({ type: 'note', name: noteName(call), data });
    durable.catch(() => undefined); // awaited below, unless the reader leaves at the event
    yield { type: 'permission', id: call.id, ...data };
    await durable;
    return {
      output: skipped ? refusal : `${call.name} was not run: ${refusal}`,
      isError: !skipped,
      interrupted: 'not_run',
    };
  }
  return {
    preToolUse,
    recheck: (call, run) => judge(call, { set, run, memory: memoryOf(run), tell: (event) => run.emit(event) }),
    async permissionRequest(call, run) {
      const folded = await foldHooks('PermissionRequest', factsOfCall(call), { set, options: callOptions(call, run) });
      for (const event of folded.events) run.emit(event);
      if (folded.aborted) return { decision: 'deny', reason: 'the run was stopped' };
      if (folded.stop !== undefined) {
        await stopRun(run, folded.stop);
        return { decision: 'deny', reason: endedBy(folded.stop) };
      }
      const { decision: made = 'ask', reason } = folded;
      return { decision: made === 'allow' ? 'approve' : made, ...(reason === undefined ? {} : { reason }) };
    },
    async *wrapToolCall(call, next, run) {
      const { contexts } = memoryOf(run);
      try {
        const judged = yield* preToolUse(call, run);
        const result = 'output' in judged ? judged : yield* next(judged);
        return withContext(result, contexts.get(call.id) ?? []);
      } finally {
        contexts.delete(call.id);
      }
    },
  };
}

interface JudgeOptions {
  readonly set: HookSet;
  readonly run: RunContext;
  readonly memory: RunMemory;
  readonly tell: (event: AgentEvent) => void;
}

async function judge(call: ToolCall, { set, run, memory, tell }: JudgeOptions): Promise<Judged> {
  const { approval: _, ...plain } = call; // it is the hooks' to give
  if (!call.tool) return { call: plain };
  const stopped = stoppedBecause(run);
  if (stopped !== undefined) return { refusal: endedBy(stopped) };
  const folded = await foldHooks('PreToolUse', factsOfCall(call), { set, options: callOptions(call, run) });
  for (const event of folded.events) tell(event);
  if (folded.aborted) return { refusal: 'the run was stopped before it began' };
  keepContext(memory, call.id, folded.context);
  if (folded.stop !== undefined) {
    await stopRun(run, folded.stop);
    return { refusal: endedBy(folded.stop) };
  }
  const changed = folded.changed ? { input: folded.facts.tool_input } : {};
  if (folded.decision === 'deny') return { refusal: folded.reason ?? 'a hook denied it', ...changed };
  if (folded.skip) return { refusal: folded.reason ?? `${call.name} was skipped by a hook`, skipped: true };
  const approval = folded.decision ? { approval: folded.decision } : {};
  if (!folded.changed) return { call: { ...plain, ...approval } };
  try {
    return { call: { ...plain, input: call.tool.inputSchema.parse(folded.facts.tool_input), ...approval } };
  } catch (error) {
    return { refusal: `a hook changed its input to one that does not fit: ${messageOf(error)}`, ...changed };
  }
}

/** The facts of a call that hooks are told. */
export function factsOfCall(call: ToolCall): HookFacts['PreToolUse'] {
  return { tool_name: call.name, tool_use_id: call.id, tool_input: call.input };
}

/** Hooks of a call are aborted with it, and with its run. */
export function callOptions({ signal }: ToolCall, run: RunContext): FoldOptions {
  const { agentName, depth } = run;
  return { agentName, depth, signal: signal === run.signal ? signal : AbortSignal.any([signal, run.signal]) };
}

/** Appends the hooks' context for the model to the result. */
export function withContext(result: ToolResult, context: readonly string[]): ToolResult {
  if (context.length === 0) return result;
  const parts = result.output === '' ? context : [result.output, ...context];
  return { ...result, output: parts.join('\n\n') };
}

function keepContext({ contexts }: RunMemory, callId: string, context: readonly string[]): void {
  if (context.length > 0) contexts.set(callId, [...(contexts.get(callId) ?? []), ...context]);
}

function endedBy(reason: string): string {
  return `a hook ended the run: ${reason}`;
}
