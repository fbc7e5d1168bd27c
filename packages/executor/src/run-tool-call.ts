import {
  faultsText,
  type RunContext,
  TimeoutError,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  type ToolStream,
  type Workspace,
} from '@x/core';
import { deadline, isCallWaits, unknownEffect } from '@x/core/internal';
import { type CheckedInput, checkInput, isStill } from './check-input.ts';
import { endRunWith, failureOfCall } from './run-facts.ts';
import type { RunLimits } from './run-options.ts';
import { startsRun } from './starts-run.ts';
import { truncateOutput } from './truncate-output.ts';
import { untilAborted } from './until-aborted.ts';

export interface ToolCallOptions {
  readonly run: RunContext;
  readonly limits: RunLimits;
  /** The input as parsed before the handlers saw the call. */
  readonly checked: CheckedInput | undefined;
  /** The answer to a call of an unknown tool. */
  readonly absent?: string;
}
type Work = (signal: AbortSignal) => ToolStream;

/** The innermost layer: the start is durable before the tool is called. */
export async function* runToolCall(call: ToolCall, options: ToolCallOptions): ToolStream {
  const { run, absent = `Tool not found: ${call.name}` } = options;
  const { tool } = call;
  if (!tool) return failure(absent);
  const checked = stillChecked(call, options.checked) ?? checkInput(tool, call.input);
  if ('fault' in checked) return failure(checked.fault);
  const idempotencyKey = `${run.sessionId}:${call.id}`;
  const { effect } = tool;
  const mark = call.workspace.commands?.mark();
  const durable = run.journal.write(...(call.records ?? []), {
    type: 'tool_started',
    callId: call.id,
    name: call.name,
    input: checked.raw,
    effect,
    idempotencyKey,
    ...(mark === undefined ? {} : { mark }),
  });
  durable.catch(() => undefined); // awaited below, unless the reader leaves at the event
  // Emitted while the write is under way, so that adjacent calls share one commit; nothing of the tool runs before it is durable.
  yield { type: 'tool_started', id: call.id };
  await durable;
  const workspace = marking(call.workspace, mark);
  const work: Work = (signal) =>
    tool.execute(checked.parsed, contextFor({ ...call, workspace, signal }, idempotencyKey, run));
  if (startsRun(tool)) return yield* throughRun(work, call, options);
  const { toolTimeout, onToolTimeout } = options.limits;
  const limit = deadline(call.signal, toolTimeout);
  try {
    return bounded(yield* untilAborted(work(limit.signal), limit.signal), options);
  } catch (error) {
    if (!limit.expired) return call.signal.aborted ? unknownEffect(call.name) : failure(faultsText(error));
    const text = `Execution timeout after ${toolTimeout}ms; the tool was stopped`;
    if (onToolTimeout === 'throw') endRunWith(run, call.id, new TimeoutError(`${call.name}: ${text}`, toolTimeout));
    return failure(text, 'unknown');
  } finally {
    limit.clear();
  }
}

/** Lets a run inside end by itself, with its calls answered; an error that must end this run too is not made a result. */
async function* throughRun(work: Work, call: ToolCall, options: ToolCallOptions): ToolStream {
  try {
    return bounded(yield* work(call.signal), options);
  } catch (error) {
    if (isCallWaits(error) || failureOfCall(options.run, call.id)) throw error;
    return call.signal.aborted ? unknownEffect(call.name) : failure(faultsText(error));
  }
}

function bounded(result: ToolResult, { limits }: ToolCallOptions): ToolResult {
  return { ...result, output: truncateOutput(result.output, limits.maxToolOutputBytes) };
}

/** The input parsed before the handlers, unless one of them has changed the tool or the input. */
function stillChecked({ tool, input }: ToolCall, checked: CheckedInput | undefined): CheckedInput | undefined {
  return tool && checked && isStill(checked, tool, input) ? checked : undefined;
}

/** An error result for the model. */
export function failure(output: string, interrupted?: ToolResult['interrupted']): ToolResult {
  return { output, isError: true, ...(interrupted ? { interrupted } : {}) };
}

/** The same workspace, whose commands carry the mark. */
function marking(workspace: Workspace, mark: string | undefined): Workspace {
  if (mark === undefined) return workspace;
  return { ...workspace, spawn: (command, options) => workspace.spawn(command, { ...options, mark }) };
}

function contextFor(call: ToolCall, idempotencyKey: string, run: RunContext): ToolContext {
  const { workspace, signal } = call;
  return {
    sessionId: run.sessionId,
    callId: call.id,
    idempotencyKey,
    cwd: workspace.cwd,
    env: workspace.env,
    signal,
    workspace,
    run,
  };
}
