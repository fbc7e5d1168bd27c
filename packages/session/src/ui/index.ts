import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { cursorsOf } from '../follow/cursor.ts';
import type { SessionEvent } from '../follow/session-event.ts';
import { eventsOf, type WatchOptions } from '../follow/watch-session.ts';
import { readState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';
import type { QuestionAnswer } from '../questions/answer-question.ts';
import { STORE } from '../store/using-store.ts';
import type { UIChunk } from './ui-chunk.ts';
import { UIMessage } from './ui-message.ts';

export type { UIChunk, UIMetadata } from './ui-chunk.ts';

/** Selects the run to tell. `from`: what an interface has already, by the cursor in the metadata of its message that goes on. */
export interface UIMessageStreamOptions extends WatchOptions {
  readonly store: SessionStore;
  /** The message that the run answers, as `send` has returned it. */
  readonly messageId?: string;
}

const OPTIONS: OptionRules<UIMessageStreamOptions> = {
  store: is.required(STORE),
  sessionId: is.required(is.text),
  from: is.text,
  messageId: is.text,
  signal: is.abortSignal,
};
/** Entries that are looked at first for the beginning of the last run. */
const BACK = 64;

/**
 * One run of a session as the stream that `useChat` of `@ai-sdk/react` reads, whoever runs it: the one that takes the message `messageId`,
 * or the first one behind `from`, either also when it is still to come; without both the last one, from its beginning, for a page that is
 * loaded again. It is one message, whose id is that of the run. The stream ends with the run, or when that waits for answers, which a later
 * message has to wait for too; cancelling it leaves the run alone. Subagents stand behind the call that has started them. Fails with the
 * errors of `watchSession`. @throws ValidationError
 */
export function toUIMessageStream(options: UIMessageStreamOptions): ReadableStream<UIChunk> {
  checkOptions('The options', options, OPTIONS);
  const { store, sessionId, from, messageId, signal } = options;
  let told = new UIMessage();
  /** What is told of a run before it has taken the message. */
  let held: UIChunk[] | undefined = messageId === undefined ? undefined : [];
  let events: AsyncGenerator<SessionEvent, void, void> | undefined;
  return new ReadableStream<UIChunk>({
    async start() {
      const begin = from ?? (await runIn(store, sessionId, messageId));
      events = eventsOf(() => ({ store, sessionId, from: begin, signal }));
    },
    async pull(controller) {
      for (;;) {
        const step = await events!.next(); // begun by `start`
        if (step.done) return controller.close();
        let chunks = told.chunksOf(step.value);
        // A run that has waited in the past, and was continued, goes on behind it.
        const isOver = told.hasEnded || (told.isWaiting && (await waitsStill(store, step.value)));
        if (isOver) chunks.push(...told.end(step.value));
        if (held) {
          held.push(...chunks);
          if (takes(step.value, messageId) || (isOver && told.isWaiting)) {
            chunks = held;
            held = undefined;
          } else {
            if (isOver) [told, held] = [new UIMessage(), []];
            continue;
          }
        }
        for (const chunk of chunks) controller.enqueue(chunk);
        if (isOver) {
          await events!.return();
          return controller.close();
        }
        if (chunks.length > 0) return;
      }
    },
    cancel: async () => {
      await events?.return();
    },
  });
}

/** True when nobody has gone on with the run after this event. */
async function waitsStill(store: SessionStore, { sessionId, cursor }: SessionEvent): Promise<boolean> {
  const after = (await cursorsOf(store, sessionId)).read(cursor);
  for await (const { body } of store.read(sessionId, { after })) {
    if (body?.type === 'run_resumed' || body?.type === 'run_ended') return false;
  }
  return true;
}

function takes({ event }: SessionEvent, messageId: string | undefined): boolean {
  return (event.type === 'user_message' || event.type === 'run_started') && event.messageId === messageId;
}

/** The cursor before the last run of the log that may take this message; undefined when it has none. */
async function runIn(store: SessionStore, sessionId: string, messageId?: string): Promise<string | undefined> {
  const { head } = await readState(store, sessionId);
  const inbox = messageId === undefined ? [] : await store.inbox(sessionId);
  const isToCome = messageId === undefined || inbox.some(({ message }) => message.id === messageId);
  for (let back = BACK; ; back *= 8) {
    const after = Math.max(0, head - back);
    let start: number | undefined;
    let isFound = isToCome;
    for await (const { seq, body } of store.read(sessionId, { after })) {
      if (body?.type === 'run_started') start = seq;
      isFound ||= body?.type === 'record' && body.record.type === 'message' && body.record.message.id === messageId;
      if (isFound && !isToCome) break;
    }
    if (start !== undefined && isFound) return (await cursorsOf(store, sessionId)).at(start - 1);
    if (after === 0) return undefined;
  }
}

/** The answers that a person has given in an interface: for `session.answer` or `answerQuestion`. `parts`: those of its last message. */
export function approvalsIn(parts: readonly object[]): { readonly callId: string; readonly answer: QuestionAnswer }[] {
  return parts.flatMap((part) => {
    const { state, approval } = part as Partial<Responded>; // safe: each field is looked at
    if (state !== 'approval-responded' || typeof approval?.id !== 'string') return [];
    const { id: callId, approved, reason } = approval;
    const said = typeof reason === 'string' && reason !== '' ? { message: reason } : {};
    const answer: QuestionAnswer = approved === true ? { behavior: 'allow' } : { behavior: 'deny', ...said };
    return [{ callId, answer }];
  });
}

/** A part of a tool in a message of the `ai` package, unchecked. */
interface Responded {
  readonly state: unknown;
  readonly approval: { readonly id?: unknown; readonly approved?: unknown; readonly reason?: unknown };
}
