import { type Message, SessionError } from '@x/core';
import { type SessionState, scopeKey } from './fold.ts';
import { Loading } from './loading.ts';
import type { SessionStore } from './session-store.ts';

/** One message of the session's own agent, and the possible cut of the log after it. */
export interface ForkPoint {
  readonly messageId: string;
  /** The last entry of a log that ends with this message; includes the end of its run, when that follows directly. */
  seq: number;
  /** True when a rewind has taken it out of the conversation; a fork can still begin with it. */
  isRemoved: boolean;
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
  let reading: Reading | undefined;
  for await (const state of replayed(store, sessionId)) {
    reading ??= new Reading(state);
    reading.next();
  }
  const { state, result } = reading!; // a log has entries
  return { sessionId, state, ...result };
}

/** The state after each entry of a log: one object, which goes on growing. @throws SessionError as `readHistory` */
export async function* replayed(store: SessionStore, sessionId: string): AsyncGenerator<SessionState, void, void> {
  const loading = new Loading(sessionId, undefined);
  for await (const entry of store.read(sessionId)) {
    const blob = entry.body?.type === 'blob' ? await store.getBlob(sessionId, entry.body.sha256) : undefined;
    loading.add(entry, blob);
    yield loading.done().state;
  }
  loading.done(); // refuses a log without entries
}

/** Compares the state before and after each entry: messages, answers, starts and ends of runs. */
class Reading {
  readonly state: SessionState;
  readonly #points = new Map<string, ForkPoint>();
  #last: ForkPoint | undefined;
  #messages: readonly Message[] = [];
  #seen = 0;
  #run: SessionState['run'];
  #runBefore = 0;
  #runHasMessage = false;
  #beforeRuns: number | undefined;

  constructor(state: SessionState) {
    this.state = state;
  }

  get result(): Omit<History, 'sessionId' | 'state'> {
    return {
      points: this.#points,
      beforeRuns: this.#beforeRuns ?? this.state.head,
      ...(this.#run ? { openRun: { before: this.#runBefore, hasMessage: this.#runHasMessage } } : {}),
    };
  }

  next(): void {
    const { head, run, scopes } = this.state;
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

  /** A compaction has replaced older messages by its summary, or a rewind has taken some out; their ids stay valid. */
  #replaced(messages: readonly Message[]): void {
    const [first] = messages;
    if (this.#points.size > 0) {
      if (first && !this.#points.has(first.id)) this.#said(first, false);
      else this.#rewound(messages);
      this.#seen = messages.length;
    }
    this.#messages = messages;
  }

  #rewound(messages: readonly Message[]): void {
    this.#last = undefined;
    for (const { id } of this.#messages) this.#points.get(id)!.isRemoved = true;
    for (const { id } of messages) {
      this.#last = this.#points.get(id)!;
      this.#last.isRemoved = false;
    }
  }

  #said({ id }: Message, endsTurn: boolean): void {
    const isValid = !this.state.scopes.get(scopeKey([]))?.calls;
    this.#last = { messageId: id, seq: this.state.head, isRemoved: false, endsTurn, isValid };
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
  const valid = [...points.values()].filter(({ isValid, isRemoved }) => isValid && !isRemoved);
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
  const last = [...points.values()].findLast(({ isValid, endsTurn, isRemoved }) => isValid && endsTurn && !isRemoved);
  return last?.seq ?? beforeRuns;
}

/** The last entry that can be copied when nobody runs the session: everything up to a reply whose calls are unanswered. */
export function lastWhole({ state, points, openRun }: History): number {
  const isOpen = state.scopes.get(scopeKey([]))?.calls !== undefined;
  if (openRun && !openRun.hasMessage) return openRun.before; // its message waits in the inbox, which stays with the source
  if (!isOpen) return state.head;
  return [...points.values()].findLast(({ isValid, isRemoved }) => isValid && !isRemoved)?.seq ?? openRun?.before ?? 1;
}
