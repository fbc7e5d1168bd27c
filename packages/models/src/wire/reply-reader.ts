import type { AssistantMessage, ModelRequest } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { DeltaEvent } from './delta-queue.ts';
import { recordOf } from './json-values.ts';
import { type ErrorContext, errorOfEvent, ModelError, type ModelErrorOptions } from './model-error.ts';
import { responseFacts, type SaidOfReply } from './response-facts.ts';
import { withServiceTools } from './service-steps.ts';

/** Facts known before a reply arrives. */
export interface ReplyFacts {
  readonly model: string;
  readonly request: ModelRequest;
  readonly context: ErrorContext;
}
/** Converts the text of one streamed reply, cut anywhere, to events and, at its end, the message. */
export interface ReplyReader {
  /** True once the service has marked the end: everything after it is ignored. */
  readonly done: boolean;
  /** The events of this piece, successive text of one kind in one event. @throws ModelError */
  push(piece: string): readonly DeltaEvent[];
  /** The events of the remaining text. @throws ModelError */
  end(): readonly DeltaEvent[];
  /** @throws ModelError when the stream was cut: an incomplete reply is never returned */
  message(): AssistantMessage;
}

/** The finished message of a reply; `of` is what the service has said of it. */
export function replyMessage(
  { context, model, request }: ReplyFacts,
  said: Pick<AssistantMessage, 'content' | 'usage' | 'stopReason' | 'logprobs'> & {
    readonly cost?: number | undefined;
  },
  of: SaidOfReply,
): AssistantMessage {
  const response = responseFacts(of, context);
  const reply: { -readonly [Field in keyof AssistantMessage]: AssistantMessage[Field] } = {
    id: request.replyId ?? crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'assistant',
    content: said.content,
    provider: context.provider,
    model,
    usage: withServiceTools(said),
    stopReason: said.stopReason,
  };
  if (said.cost !== undefined) reply.cost = said.cost;
  if (said.logprobs) reply.logprobs = said.logprobs;
  if (response) reply.response = response;
  return reply;
}

/** The error for a stream that ended before the reply did. */
export function cutReply(context: ErrorContext): ModelError {
  const message = `${context.provider} ended the stream before the reply was complete`;
  return failed(context, message, { code: 'STREAM_CUT', retryable: true });
}

/** The error for an unreadable event: mostly one that was cut. */
export function malformedEvent(context: ErrorContext, cause: unknown): ModelError {
  const message = `${context.provider} sent an event that is not JSON`;
  return failed(context, message, { code: 'STREAM_CUT', retryable: true, cause });
}

function isPlain(name: string): boolean {
  return name === '' || name === 'message';
}

/** An event as an object; undefined for one of another name than those of replies, which may hold anything. @throws ModelError */
export function recordOfEvent(
  data: string,
  name: string,
  context: ErrorContext,
  isOfReply: (name: string) => boolean = isPlain,
): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    if (isOfReply(name)) throw malformedEvent(context, cause);
  }
  const record = recordOf(value);
  if (name === 'error' && !record) throw errorOfEvent(data, context);
  return record;
}

/** A reply that no reader was made for; it would come again. */
export function unreadableReply(context: ErrorContext, cause: unknown): ModelError {
  return failed(context, `The reply of ${context.provider} cannot be read: ${messageOf(cause)}`, {
    retryable: false,
    cause,
  });
}

/** The error for a request that cannot be serialised, such as one with an input nested too deeply for JSON. */
export function unsayableRequest(context: ErrorContext, cause: unknown): ModelError {
  return failed(context, `The request to ${context.provider} cannot be written: ${messageOf(cause)}`, {
    retryable: false,
    cause,
  });
}

function failed(
  { provider, requestId }: ErrorContext,
  message: string,
  facts: Pick<ModelErrorOptions, 'code' | 'retryable' | 'cause'>,
): ModelError {
  return new ModelError(message, { provider, ...(requestId === undefined ? {} : { requestId }), ...facts });
}
