import { type AssistantMessage, type ModelRequest, messageOf } from '@x/core';
import { type ErrorContext, ModelError } from '../model-error.ts';
import type { DeltaEvent } from './delta-queue.ts';

/** What is known of a reply before it comes. */
export interface ReplyFacts {
  readonly model: string;
  readonly request: ModelRequest;
  readonly context: ErrorContext;
}
/** Turns the text of one streamed reply, cut anywhere, into events and, at its end, the message. */
export interface ReplyReader {
  /** True once the service has said that this is all: whatever follows does not count. */
  readonly done: boolean;
  /** The events of this piece, the text of one kind that came together in one event. @throws ModelError */
  push(piece: string): readonly DeltaEvent[];
  /** The events of what was left over. @throws ModelError */
  end(): readonly DeltaEvent[];
  /** @throws ModelError when the stream was cut: a half reply is nobody's reply */
  message(): AssistantMessage;
}

/** The finished message of a reply. */
export function replyMessage(
  { context, model }: ReplyFacts,
  said: Pick<AssistantMessage, 'content' | 'usage' | 'stopReason'>,
): AssistantMessage {
  return {
    id: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'assistant',
    content: said.content,
    provider: context.provider,
    model,
    usage: said.usage,
    stopReason: said.stopReason,
  };
}

/** The stream ended before the reply did. */
export function cutReply({ provider }: ErrorContext): ModelError {
  return new ModelError(`${provider} ended the stream before the reply was complete`, { provider, retryable: true });
}

/** An event that cannot be read. */
export function malformedEvent({ provider }: ErrorContext, cause: unknown): ModelError {
  return new ModelError(`${provider} sent an event that is not JSON`, { provider, retryable: true, cause });
}

/** A reply that no reader was made for; it would come again. */
export function unreadableReply({ provider }: ErrorContext, cause: unknown): ModelError {
  const message = `The reply of ${provider} cannot be read: ${messageOf(cause)}`;
  return new ModelError(message, { provider, retryable: false, cause });
}
