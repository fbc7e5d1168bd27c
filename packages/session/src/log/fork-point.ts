import { type Message, SessionError } from '@x/core';
import { type SessionState, scopeKey } from './fold.ts';
import { Loading } from './loading.ts';
import type { SessionStore } from './session-store.ts';

/** One message of the session's own agent, and the possible cut of the log after it. */
export interface ForkPoint {
  readonly messageId: string;
  /** The last entry of a log that ends with this message; includes the end of its run, when that follows directly. */
  seq: number;
  /** A reply, or the answers to one. */
  readonly endsTurn: boolean;
  /** False where a call would stay unanswered. */
  readonly isValid: boolean;
}

/** A session's log from its beginning, compacted parts included: every message with its position. */
export interface History {
  readonly sessionId: string;
  /** The state after the whole log. */
  readonly state: SessionState;
  /** By message id, in log order. */
  readonly points: ReadonlyMap<string, ForkPoint>;
  /** The entry before the first run. */
  readonly beforeRuns: number;
  /** Of a run that has not ended: the entry before it, and whether a message of it is recorded. */
  readonly openRun?: { readonly before: number; readonly hasMessage: boolean };
}

/** @throws SessionError `SESSION_NOT_FOUND`, `LOG_DAMAGED`, `LOG_TOO_NEW` */
export async function readHistory(store: SessionStore, sessionId: string): Promise<History> {
  const loading = new Loading(sessionId, undefined);
  let reading: Reading | undefined;
  for await (const entry of store.read(sessionId)) {
    const blob = entry.body?.type === 'blob' ? await store.getBlob(sessionId, entry.body.sha256) : undefined;
    loading.add(entry, blob);
    reading ??= new Reading(loading.done().state); // one object, which goes on growing
    reading.next();
  }
  const { state } = loading.done(); // refuses a log without entries
  return { sessionId, state, ...(reading ?? new Reading(state)).result };
}

/** Compares the state before and after each entry: messages, answers, starts and ends of runs. */
class Reading {
  readonly #state: SessionState;
  readonly #points = new Map<string, ForkPoint>();
  #last: ForkPoint | undefined;
  #messages: readonly Message[] = [];
  #seen = 0;
  #run: SessionState['run'];
  #runBefore = 0;
  #runHasMessage = false;
  #beforeRuns: number | undefined;

  constructor(state: SessionState) {
    this.#state = state;
  }

  get result(): Omit<History, 'sessionId' | 'state'> {
    return {
      points: this.#points,
      beforeRuns: this.#beforeRuns ?? this.#state.head,
      ...(this.#run ? { openRun: { before: this.#runBefore, hasMessage: this.#runHasMessage } } : {}),
    };
  }

  next(): void {
    const { head, run, scopes } = this.#state;
    const messages = scopes.get(scopeKey([]))?.messages ?? [];
    if (messages !== this.#messages) this.#replaced(messages);
    for (const message of messages.slice(this.#seen)) this.#said(message, message.role !== 'user');
    this.#seen = messages.length;
    if (run === this.#run) return;
    if (run) {
      this.#beforeRuns ??= head - 1;
      this.#runBefore = head - 1;
      this.#runHasMessage = false;
    } else if (this.#last?.isValid && messages.at(-1)?.role !== 'user') this.#last.seq = head; // a message without a reply stays to be answered
    this.#run = run;
  }

  /** A compaction has replaced older messages by its summary; their ids stay valid. */
  #replaced(messages: readonly Message[]): void {
    const [summary] = messages;
    if (this.#seen > 0 && summary && summary.id !== this.#messages[0]?.id) {
      this.#said(summary, false);
      this.#seen = messages.length;
    } else this.#seen = Math.min(this.#seen, messages.length);
    this.#messages = messages;
  }

  #said({ id }: Message, endsTurn: boolean): void {
    const isValid = !this.#state.scopes.get(scopeKey([]))?.calls;
    this.#last = { messageId: id, seq: this.#state.head, endsTurn, isValid };
    this.#points.set(id, this.#last);
    this.#runHasMessage = true;
  }
}

/** The cut after one message. @throws SessionError `MESSAGE_NOT_FOUND`, `INVALID_FORK_POINT` where a call would stay unanswered */
export function cutBehind({ sessionId, points }: History, messageId: string): number {
  const point = points.get(messageId);
  if (!point) {
    throw new SessionError(
      `Session ${sessionId} has no message ${messageId}; the ids of its messages are in session.messages, and one that still waits to be delivered is not among them`,
      { code: 'MESSAGE_NOT_FOUND' },
    );
  }
  if (point.isValid) return point.seq;
  const valid = [...points.values()].filter(({ isValid }) => isValid);
  const before = valid.findLast(({ seq }) => seq < point.seq);
  const behind = valid.find(({ seq }) => seq > point.seq);
  const near = [before, behind].flatMap((found) => found?.messageId ?? []).join(' or ');
  throw new SessionError(
    `Behind message ${messageId} of session ${sessionId} calls of tools would stay unanswered; fork it ${near === '' ? 'without a messageId' : `at ${near}`}`,
    { code: 'INVALID_FORK_POINT', details: { messageId, validIds: valid.map((one) => one.messageId) } },
  );
}

/** The cut after the last complete turn: the reply, and the answers to all its calls. */
export function lastCompleteTurn({ points, beforeRuns }: History): number {
  const last = [...points.values()].findLast(({ isValid, endsTurn }) => isValid && endsTurn);
  return last?.seq ?? beforeRuns;
}

/** The last entry that can be copied when nobody runs the session: everything up to a reply whose calls are unanswered. */
export function lastWhole({ state, points, openRun }: History): number {
  const isOpen = state.scopes.get(scopeKey([]))?.calls !== undefined;
  if (openRun && !openRun.hasMessage) return openRun.before; // its message waits in the inbox, which stays with the source
  if (!isOpen) return state.head;
  return [...points.values()].findLast(({ isValid }) => isValid)?.seq ?? openRun?.before ?? 1;
}
