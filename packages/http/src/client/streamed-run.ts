import type { Question, ResultMessage, StreamMessage } from '@x/core';
import { leaveAtOnce } from '@x/core/streams';
import { AbortError } from '@x/errors';
import type { SessionEvent } from '@x/session';
import type { WithSignal } from './client-tools.ts';
import { RunMessages } from './run-messages.ts';

/** The run to stream. */
export interface RunOptions extends WithSignal {
  /** The cursor behind which it is looked for. Default: where the last stream of this object has ended, at first the beginning. */
  readonly from?: string;
  /** The message that it takes. Default, without `from`: the first one sent by this object that no stream has told. */
  readonly messageId?: string;
  /** Default false. */
  readonly includeThinking?: boolean;
}
/** The last event that a session's streams have told, and the first message that they have not. */
export interface StreamPlace {
  cursor?: string;
  messageId?: string;
}
interface RunSource {
  readonly place: StreamPlace;
  readonly signal: AbortSignal | undefined;
  readonly events: (from: string | undefined, signal: AbortSignal) => AsyncIterable<SessionEvent>;
  /** The open questions, if the session has nothing to do before an answer. */
  readonly questions: () => Promise<readonly Question[]>;
}

/** One run as messages of `stream()`, ending with its result. */
export function streamedRun(source: RunSource, options: RunOptions): AsyncGenerator<StreamMessage, void, void> {
  const leaving = new AbortController();
  return leaveAtOnce(newRun(source, options, leaving.signal), () => leaving.abort());
}

async function* newRun(
  { place, signal, events, questions }: RunSource,
  { from: given, messageId = given === undefined ? place.messageId : undefined, includeThinking = false }: RunOptions,
  left: AbortSignal,
): AsyncGenerator<StreamMessage, void, void> {
  const run = new RunMessages(includeThinking);
  /** The messages of a run that has not taken the message yet. */
  let held: StreamMessage[] | undefined = messageId === undefined ? undefined : [];
  for await (const told of events(given ?? place.cursor, signal ? AbortSignal.any([signal, left]) : left)) {
    place.cursor = told.cursor;
    const messages = [...run.messagesOf(told)];
    // A run that has waited in the past, and was continued, goes on behind it.
    const open = told.event.type === 'run_waiting' ? await questions() : [];
    if (open.length > 0) messages.push(waitingFor(open, run.usage, told.messageId));
    const isOver = messages.at(-1)?.type === 'result';
    if (held) {
      held.push(...messages);
      if (!takes(told, messageId) && open.length === 0) {
        if (isOver) held = [];
        continue;
      }
      messages.splice(0, messages.length, ...held);
      held = undefined;
      if (place.messageId === messageId) delete place.messageId;
    }
    yield* messages;
    if (isOver) return;
  }
  if (!left.aborted) throw new AbortError('The stream was aborted before the result of its run');
}

function takes({ event }: SessionEvent, messageId: string | undefined): boolean {
  return (event.type === 'user_message' || event.type === 'run_started') && event.messageId === messageId;
}

function waitingFor(questions: readonly Question[], usage: ResultMessage['usage'], messageId = ''): ResultMessage {
  return { type: 'result', subtype: 'waiting', messageId, usage, questions };
}
