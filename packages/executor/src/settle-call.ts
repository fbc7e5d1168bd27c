import {
  type AgentConfig,
  type AgentEvent,
  type AssistantMessage,
  type ToolCall,
  type ToolResult,
  type ToolStream,
  type ToolUseBlock,
  ValidationError,
} from '@x/core';
import {
  type CommandsFound,
  callWaits,
  foundText,
  isCallWaits,
  notRun,
  present,
  unknownEffect,
} from '@x/core/internal';
import { inner, type Nested } from '@x/core/streams';
import { checkInput } from './check-input.ts';
import { copyOf } from './input-copy.ts';
import { failureOfCall } from './run-facts.ts';
import type { RunOptions } from './run-options.ts';
import { failure, runToolCall, type ToolCallOptions } from './run-tool-call.ts';
import { startsRun } from './starts-run.ts';

/** Maximum number of executions of one call: when the process has ended during all of them, the call may be the cause. */
const MAX_ATTEMPTS = 2;

export interface Settled {
  readonly result: ToolResult;
  /** A handler's error around the call; the run ends with it once every call of the reply is answered. */
  readonly failure?: unknown;
}
/** A call without a result: it waits for an answer, or stands behind one that does. */
export interface Waiting {
  readonly waits: ToolUseBlock;
  /** True for a subagent, one of whose calls waits. */
  readonly begun: boolean;
}

/** The origin of a call: its reply and the tools of its run. */
export interface CallSource {
  readonly config: AgentConfig;
  readonly reply: AssistantMessage;
  readonly options: RunOptions;
  /**
   * `failed` when a handler has thrown: calls of the reply that have not begun are then not run. `sequence`: the tool whose calls are one, when
   * one of them has failed: those behind it are then not run.
   */
  readonly broken: { failed: boolean; sequence?: string };
  /** True behind a call that waits for an answer: handlers judge the call, so that all questions of a reply are asked, and its tool waits. */
  readonly held?: boolean;
}

/** Settles one call with exactly one answer: from the past, from the host, from the tool, or the reason why there is none. */
export async function* settleCall(use: ToolUseBlock, source: CallSource): Nested<AgentEvent, Settled | Waiting> {
  const { run } = source.options;
  let begun = false;
  const startedAt = Date.now();
  const isPast = run.journal.past.call(use.id)?.state === 'finished';
  yield { type: 'tool_use', id: use.id, name: use.name, input: use.input };
  const known = settledBefore(use, source);
  let settled = known instanceof Promise ? await known : known;
  if (!settled) {
    try {
      const answer = inner(throughHandlers(use, source, () => void (begun = true)));
      yield answer;
      settled = { result: answer.result };
    } catch (error) {
      if (isCallWaits(error) && !failureOfCall(run, use.id)) return { waits: use, begun };
      settled = handlerFailed(error);
    }
    const failed = failureOfCall(run, use.id); // a handler may have made a result of it
    if (failed) settled = { ...settled, failure: failed.reason };
  }
  if ('failure' in settled) source.broken.failed = true;
  if (!isPast) {
    const result = recordedResult(settled.result);
    const durationMs = Date.now() - startedAt;
    await run.journal.write({ type: 'tool_finished', callId: use.id, result, durationMs });
  }
  const { output, isError } = settled.result;
  yield { type: 'tool_result', id: use.id, name: use.name, output, isError };
  return settled;
}

/** Keeps the fields of a result, and nothing that a tool or handler has put beside them. */
function recordedResult({ output, isError, interrupted, images, files }: ToolResult): Omit<ToolResult, 'data'> {
  const isKnown = interrupted === 'not_run' || interrupted === 'unknown';
  return { output, isError, ...(isKnown ? { interrupted } : {}), ...present({ images, files }) };
}

/** The answer of a call that is not run (again); undefined for one that is. */
function settledBefore(use: ToolUseBlock, source: CallSource): Settled | Promise<Settled> | undefined {
  const { run, inbox } = source.options;
  const stopped = run.signal.aborted || inbox.urgent.aborted || source.broken.failed;
  const past = run.journal.past.call(use.id);
  if (past?.state === 'finished') return { result: past.result };
  if (past?.state === 'started' && past.effect === 'non_idempotent')
    return reconciled(use, source, unknownEffect(use.name, past.commands));
  if (past?.state === 'started' && (past.attempts ?? 0) >= MAX_ATTEMPTS && !beginsRun(use, source))
    return reconciled(use, source, endsItsProcess(use.name, past.commands));
  // One that had begun before a crash may have had its effect, even if it may be repeated.
  if (stopped) return { result: past ? unknownEffect(use.name, past.commands) : notRun(use.name) };
  if (source.broken.sequence === use.name) {
    // the words that Claude knows (platform.claude.com, "Computer use tool")
    const output = `Not executed: an earlier ${use.name} action in this turn failed.`;
    return { result: failure(output, 'not_run') };
  }
  if (!isUnfinished(use, source.reply)) return undefined;
  return { result: failure(`${use.name} was not run: the reply was cut off before its input was complete`, 'not_run') };
}

/** True for a call that starts a subagent, which is not what ends the process: each of its own calls is counted. */
function beginsRun({ name }: ToolUseBlock, { config }: CallSource): boolean {
  return config.tools.some(({ tool }) => tool.name === name && startsRun(tool));
}

function endsItsProcess(name: string, commands: CommandsFound | undefined): ToolResult {
  const output =
    `${name} was begun twice and the process ended each time; its effect is not known, and it was not begun again.` +
    `${foundText(commands)} ` +
    'Do not repeat the call as it is.';
  return failure(output, 'unknown');
}

async function reconciled(
  { id, name, input }: ToolUseBlock,
  { options }: CallSource,
  otherwise: ToolResult,
): Promise<Settled> {
  try {
    const result = checkedResult((await options.reconcile?.({ id, name, input })) ?? otherwise);
    return { result: withRecordedContext(result, options.run.journal.past.note(`context:${id}`)) };
  } catch (error) {
    return handlerFailed(error);
  }
}

/** Adds the context that handlers gave before the tool started, recorded with its start: they do not see the call again. */
function withRecordedContext(result: ToolResult, context: unknown): ToolResult {
  if (!Array.isArray(context) || context.length === 0) return result;
  return { ...result, output: [result.output, ...context].filter((text) => text !== '').join('\n\n') };
}

/** True for the last call of a reply cut at its length: its input may be incomplete even if it looks complete. */
function isUnfinished(use: ToolUseBlock, { stopReason, content }: AssistantMessage): boolean {
  if (stopReason !== 'length') return false;
  const last = content.at(-1);
  return typeof use.input === 'string' || (last?.type === 'tool_use' && last.id === use.id);
}

function throughHandlers(use: ToolUseBlock, source: CallSource, onBegun: () => void): ToolStream {
  const { pipeline, run, workspace } = source.options;
  const tool = source.config.tools.find((one) => one.tool.name === use.name)?.tool;
  const checked = tool ? checkInput(tool, use.input) : undefined;
  if (checked && 'fault' in checked) return refuseInput(checked.fault);
  const input = checked ? checked.parsed : copyOf(use.input);
  const call: ToolCall = { id: use.id, name: use.name, input, requested: input, tool, workspace, signal: run.signal };
  const absent = source.options.outside?.(use.name);
  const options: ToolCallOptions = {
    run,
    checked,
    limits: source.options,
    ...(absent === undefined ? {} : { absent }),
  };
  const start = (changed: ToolCall) => {
    if (source.held && changed.tool) return waiting(use.id);
    onBegun();
    return runToolCall(changed, options);
  };
  return pipeline.callTool(call, start, run);
}

async function* waiting(callId: string): ToolStream {
  throw callWaits(callId);
}

async function* refuseInput(fault: string): ToolStream {
  return failure(fault);
}

function checkedResult(result: ToolResult): ToolResult {
  if (typeof result?.output === 'string' && typeof result.isError === 'boolean') return result;
  throw new ValidationError('reconcile must return a tool result with output and isError, or undefined', 'reconcile');
}

/** Answers a call whose handler threw with an error, and keeps the handler's error. */
function handlerFailed(error: unknown): Settled {
  return { result: failure('The call could not be settled: a handler failed', 'unknown'), failure: error };
}
