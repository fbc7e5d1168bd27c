import type { SessionStore, SessionSummary } from '../log/session-store.ts';
import type { RunEngine } from './run-engine.ts';
import { type SessionToRun, sessionsToRun, workOf } from './sessions-to-run.ts';

/** Milliseconds that sessions may delay the next ones: a run may wait for a person, or be another process's. */
const LONGEST_WAIT_MS = 30_000;

/** Waits until sessions have progressed: recorded something that a crash cannot undo, or finished. */
export class GettingFurther {
  readonly #waiting = new Map<string, () => void>();

  /** Marks the session as progressed. */
  tell(sessionId: string): void {
    this.#waiting.get(sessionId)?.();
  }

  /** Resolves when all sessions have progressed, after 30 seconds, or when the signal is aborted. */
  async of(sessionIds: readonly string[], signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LONGEST_WAIT_MS).unref(); // who is waited for keeps the process alive
    signal.addEventListener('abort', () => resolve(), { once: true });
    let left = sessionIds.length;
    if (left === 0 || signal.aborted) resolve();
    for (const sessionId of sessionIds) {
      this.#waiting.set(sessionId, () => {
        this.#waiting.delete(sessionId);
        if (--left === 0) resolve();
      });
    }
    await promise;
    clearTimeout(timer);
    for (const sessionId of sessionIds) this.#waiting.delete(sessionId);
  }
}

export interface AskInTurn {
  readonly engine: RunEngine;
  readonly store: SessionStore;
  readonly further: GettingFurther;
  /** Default: all sessions of the store. */
  readonly sessions?: readonly SessionSummary[];
  /** Ends the asking. */
  readonly signal: AbortSignal;
}

/**
 * Asks for the sessions with something to do. Those whose run was interrupted by a crash come last, the most crashes at the end, each once
 * the one before it has progressed: one that ends its process again takes no other with it. Resolves when all others were asked for, with a
 * promise for the rest. @throws errors of engine and store
 */
export async function askInTurn(asking: AskInTurn): Promise<{ readonly rest: Promise<void> }> {
  const { engine, store, sessions } = asking;
  const crashed: { sessionId: string; crashes: number }[] = [];
  const others: string[] = [];
  for await (const found of sessions ? worksOf(store, sessions) : sessionsToRun(store)) {
    if (found.crashes > 0) crashed.push(found);
    else others.push(found.sessionId);
  }
  const going = asking.further.of(crashed.length > 0 ? others : [], asking.signal);
  for (const sessionId of others) await engine.submit(sessionId);
  const last = crashed.toSorted((one, other) => one.crashes - other.crashes).map(({ sessionId }) => sessionId);
  const [first] = last;
  if (others.length > 0 || first === undefined) return { rest: askForCrashed(going, last, asking) };
  // There is nothing to wait for.
  const started = asking.further.of([first], asking.signal);
  await engine.submit(first);
  return { rest: askForCrashed(started, last.slice(1), asking) };
}

async function* worksOf(store: SessionStore, sessions: readonly SessionSummary[]): AsyncGenerator<SessionToRun> {
  for (const session of sessions) {
    const work = await workOf(store, session);
    if (work) yield work;
  }
}

async function askForCrashed(
  before: Promise<void>,
  sessionIds: readonly string[],
  { engine, further, signal }: AskInTurn,
): Promise<void> {
  let ready = before;
  for (const sessionId of sessionIds) {
    await ready;
    if (signal.aborted) return;
    ready = further.of([sessionId], signal);
    await engine.submit(sessionId);
  }
}
