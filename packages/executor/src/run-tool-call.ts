import {
  messageOf,
  type RunContext,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  type ToolStream,
  unknownEffect,
} from '@x/core';
import { type CheckedInput, checkInput } from './check-input.ts';
import { deadline } from './deadline.ts';
import { truncateOutput } from './truncate-output.ts';
import { untilAborted } from './until-aborted.ts';

export interface ToolCallOptions {
  readonly run: RunContext;
  /** What was parsed before the handlers saw the call. */
  readonly checked: CheckedInput | undefined;
  readonly toolTimeout?: number;
  readonly maxToolOutputBytes?: number;
}

/** The innermost layer: the intent is durable before the tool is touched. */
export async function* runToolCall(call: ToolCall, options: ToolCallOptions): ToolStream {
  const { run, toolTimeout, maxToolOutputBytes } = options;
  const { tool } = call;
  if (!tool) return failure(`Tool not found: ${call.name}`);
  const checked = stillChecked(call, options.checked) ?? checkInput(tool, call.input);
  if ('fault' in checked) return failure(checked.fault);
  const idempotencyKey = `${run.sessionId}:${call.id}`;
  const { effect } = tool;
  const durable = run.journal.write({
    type: 'tool_started',
    callId: call.id,
    name: call.name,
    input: checked.raw,
    effect,
    idempotencyKey,
  });
  durable.catch(() => undefined); // awaited below, unless the reader leaves at the event
  // Told while the write is under way, so that neighbours share one commit; nothing of the tool runs before it is durable.
  yield { type: 'tool_started', id: call.id };
  await durable;
  const limit = deadline(call.signal, toolTimeout);
  try {
    const context = contextFor({ ...call, signal: limit.signal }, idempotencyKey, run);
    const result = yield* untilAborted(tool.execute(checked.parsed, context), limit.signal);
    return { ...result, output: truncateOutput(result.output, maxToolOutputBytes) };
  } catch (error) {
    if (limit.expired) return failure(`Execution timeout after ${toolTimeout}ms; the tool was stopped`, 'unknown');
    return call.signal.aborted ? unknownEffect(call.name) : failure(messageOf(error));
  } finally {
    limit.clear();
  }
}

/** What was parsed before the handlers, when none of them has changed the tool or the input. */
function stillChecked({ tool, input }: ToolCall, checked: CheckedInput | undefined): CheckedInput | undefined {
  return checked && checked.tool === tool && checked.parsed === input ? checked : undefined;
}

/** An error the model reads. */
export function failure(output: string, interrupted?: ToolResult['interrupted']): ToolResult {
  return { output, isError: true, ...(interrupted ? { interrupted } : {}) };
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
