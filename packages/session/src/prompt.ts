import { AbortError, type AgentError, isAgentError, type ResultMessage, SessionError } from '@x/core';
import { noUsage, type OutputOf } from '@x/core/internal';
import { isObject } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkValue } from '@x/errors/option-rules';
import type { OutputSchema } from '@x/handlers/internal';
import { newSession } from './create-session.ts';
import type {
  PromptResult,
  SessionOptions,
  StructuredOptions,
  StructuredResult,
  ToolCallRecord,
} from './options/types.ts';
import type { UserContent } from './options/user-content.ts';
import { checkMessage } from './run/message-content.ts';
import type { Session } from './session.ts';

/** Aborts the run of a prompt. */
interface Abortable {
  readonly signal?: AbortSignal;
}

/**
 * Sends one message, a text or a list of parts as in `send`, and returns the answer; the session is closed afterwards, on failure too. Rejects with the run's error; a run that used
 * up its turns rejects with `MAX_TURNS`, one whose answer does not fit `outputFormat` with `OUTPUT_INVALID`, both with the partial
 * `PromptResult` in `details`; one that waits for answers with `RUN_WAITING`, its questions and `sessionId` in `details`; when `signal` is aborted, with an AbortError. With `outputFormat` the result has `structured`, of the type that the schema returns.
 */
export function prompt<S extends OutputSchema>(
  message: string | readonly UserContent[],
  options: StructuredOptions<S> & Abortable,
): Promise<StructuredResult<OutputOf<S>>>;
export function prompt(
  message: string | readonly UserContent[],
  options: SessionOptions & Abortable,
): Promise<PromptResult>;
export async function prompt(
  message: string | readonly UserContent[],
  given: SessionOptions & Abortable,
): Promise<PromptResult> {
  checkMessage(message); // before there is a session
  const { signal, options } = apart(given);
  if (signal?.aborted) throw new AbortError('The signal was aborted before the message was sent');
  const session = await newSession(options);
  try {
    const startedAt = performance.now();
    await session.send(message, signal ? { signal } : {});
    const { result, toolCalls, turnsCount } = await readRun(session);
    const answer: PromptResult = {
      result: result?.content ?? '',
      toolCalls,
      usage: result?.usage ?? noUsage(),
      duration: performance.now() - startedAt,
      turnsCount,
      ...(result && Object.hasOwn(result, 'structured') ? { structured: result.structured } : {}),
    };
    if (result?.subtype === 'success') return answer;
    throw failureOfPrompt(session, answer, result);
  } finally {
    await session.close();
  }
}

/** The options of the session, and the signal of its one run. */
function apart(given: SessionOptions & Abortable): { readonly options: SessionOptions } & Abortable {
  if (!isObject(given)) return { options: given }; // is refused
  const { signal, ...options } = given;
  checkValue('signal', signal, is.abortSignal);
  return { options, ...(signal ? { signal } : {}) };
}

interface ReadRun {
  readonly result: ResultMessage | undefined;
  readonly toolCalls: ToolCallRecord[];
  readonly turnsCount: number;
}

async function readRun(session: Session): Promise<ReadRun> {
  const calls = new Map<string, { input: unknown; startedAt: number; record?: ToolCallRecord }>();
  let result: ResultMessage | undefined;
  let turnsCount = 0;
  for await (const event of session.stream()) {
    if (event.type === 'turn_start') turnsCount = event.turn;
    else if (event.type === 'tool_use') calls.set(event.id, { input: event.input, startedAt: performance.now() });
    else if (event.type === 'tool_result') {
      const call = calls.get(event.id)!; // a result follows its call
      const { name, output, isError = false } = event;
      call.record = { name, input: call.input, output, duration: performance.now() - call.startedAt, isError };
    } else if (event.type === 'result') result = event;
  }
  const toolCalls = [...calls.values()].flatMap(({ record }) => record ?? []);
  return { result, toolCalls, turnsCount };
}

function failureOfPrompt(session: Session, answer: PromptResult, result: ResultMessage | undefined): unknown {
  if (result?.subtype === 'max_turns') {
    return new SessionError(`The run used up its ${answer.turnsCount} turns; raise maxTurns or ask for less`, {
      code: 'MAX_TURNS',
      details: answer,
    });
  }
  if (result?.subtype === 'waiting') {
    const { sessionId } = session;
    const message = `The run waits for answers: answerQuestion({ sessionId: '${sessionId}', callId, answer }), then resume the session`;
    return new SessionError(message, {
      code: 'RUN_WAITING',
      details: { ...answer, sessionId, questions: result.questions },
    });
  }
  if (isOutputInvalid(session.failure)) return withAnswer(session.failure, answer);
  return session.failure ?? new AbortError(result?.error ?? `The run ended with ${result?.subtype}`);
}

function isOutputInvalid(failure: unknown): failure is AgentError {
  return isAgentError(failure) && failure.code === 'OUTPUT_INVALID';
}

/** The run's error with the partial answer in its details; its text is the answer that did not fit. */
function withAnswer(failure: AgentError, answer: PromptResult): SessionError {
  const details = failure.details as { readonly content?: string } | undefined; // of the run's own making
  return new SessionError(failure.message, {
    code: 'OUTPUT_INVALID',
    cause: failure,
    details: { ...details, ...answer, result: details?.content ?? answer.result },
  });
}
