import { AbortError, type Tool, type ToolContext, type ToolEffect, ValidationError, type Workspace } from '@x/core';
import { isTool, valueOfResult } from '@x/core/internal';
import { readToEnd } from '@x/core/streams';
import { memoryJournal } from '../memory-journal.ts';
import { liveRun, noWorkspace } from '../run-context.ts';

/** Context of an attempt, in addition to its parameters. */
export interface ExecutionContext {
  /** Aborted when this attempt is given up: its time is up, or the caller has aborted. */
  readonly signal: AbortSignal;
  /** The same for all attempts of one execution. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
}
/** A bare function as a tool. */
export type ExecutableFunction<Input, Output> = (parameters: Input, context: ExecutionContext) => Output;

/** Work that is ready to run. */
export interface Work {
  readonly name?: string;
  readonly effect?: ToolEffect;
  run(context: ExecutionContext): unknown;
}

/** A function or a tool with its checked input. @throws ValidationError when the input does not fit the schema of the tool */
export function workOf(
  implementation: ExecutableFunction<never, unknown> | Tool,
  parameters: unknown,
  workspace: Workspace | undefined,
): Work {
  if (typeof implementation === 'function') {
    return { run: (context) => implementation(parameters as never, context) }; // safe: execute() asks for what it takes
  }
  if (typeof implementation !== 'object' || implementation === null || !isTool(implementation)) {
    throw new ValidationError('The implementation must be a function or a tool of defineTool(...)', 'implementation');
  }
  const { name, effect } = implementation;
  const input = implementation.inputSchema.parse(parameters);
  return { name, effect, run: (context) => attempt(implementation, input, contextOf(name, context, workspace)) };
}

/** A step that comes after the attempt was given up is its last. */
async function attempt(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  const result = await readToEnd(tool.execute(input, context), () => {
    if (context.signal.aborted) throw new AbortError();
  });
  return valueOfResult(tool.name, input, result);
}

/** A context with its own ids, signal and journal, outside any session. */
function contextOf(
  name: string,
  { signal, idempotencyKey }: ExecutionContext,
  workspace: Workspace = noWorkspace('give the ToolExecutor a workspace'),
): ToolContext {
  const sessionId = 'tool-executor';
  const callId = crypto.randomUUID();
  const ids = { sessionId, runId: callId, agentName: name, messageId: callId, depth: 0 };
  const run = liveRun({ ...ids, signal, journal: memoryJournal() });
  return { sessionId, callId, idempotencyKey, cwd: workspace.cwd, env: workspace.env, signal, workspace, run };
}
