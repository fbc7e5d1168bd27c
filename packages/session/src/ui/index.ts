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

/** Selects the run to tell; `from` is a cursor, such as the one in the metadata of the message before. */
export interface UIMessageStreamOptions extends WatchOptions {
  readonly store: SessionStore;
}

const OPTIONS: OptionRules<UIMessageStreamOptions> = {
  store: is.required(STORE),
  sessionId: is.required(is.text),
  from: is.text,
  signal: is.abortSignal,
};
/** Entries that are looked at first for the beginning of the last run. */
const BACK = 64;

/**
 * One run of a session as the stream that `useChat` of `@ai-sdk/react` reads, whoever runs it: the first one behind `from`, also one that
 * is still to come; without `from` the last one, from its beginning, for a page that is loaded again. It is one message, whose id is that
 * of the run. The stream ends with the run, or when that waits for answers; cancelling it leaves the run alone. Subagents stand behind the
 * call that has started them. Fails with the errors of `watchSession`. @throws ValidationError
 */
export function toUIMessageStream(options: UIMessageStreamOptions): ReadableStream<UIChunk> {
  checkOptions('The options', options, OPTIONS);
  const { store, sessionId, from, signal } = options;
  const told = new UIMessage();
  let events: AsyncGenerator<SessionEvent, void, void> | undefined;
  return new ReadableStream<UIChunk>({
    async start() {
      const begin = from ?? (await lastRunIn(store, sessionId));
      events = eventsOf(() => ({ store, sessionId, from: begin, signal }));
    },
    async pull(controller) {
      for (;;) {
        const step = await events!.next(); // begun by `start`
        if (step.done) return controller.close();
        const chunks = told.chunksOf(step.value);
        // A run that has waited in the past, and was continued, goes on behind it.
        const isOver = told.hasEnded || (told.isWaiting && (await waitsStill(store, step.value)));
        for (const chunk of isOver ? [...chunks, ...told.end(step.value)] : chunks) controller.enqueue(chunk);
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

/** The cursor before the last run of the log; undefined when it has none. */
async function lastRunIn(store: SessionStore, sessionId: string): Promise<string | undefined> {
  const { head } = await readState(store, sessionId);
  for (let back = BACK; ; back *= 8) {
    const after = Math.max(0, head - back);
    let start: number | undefined;
    for await (const { seq, body } of store.read(sessionId, { after })) if (body?.type === 'run_started') start = seq;
    if (start !== undefined) return (await cursorsOf(store, sessionId)).at(start - 1);
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
