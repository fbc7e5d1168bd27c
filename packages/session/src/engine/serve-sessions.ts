import { AbortError, AgentError, isAgentError, type ResultMessage, type StreamMessage, ValidationError } from '@x/core';
import { LONGEST_TIMER_MS, messageOf } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { resumeSession } from '../create-session.ts';
import { requireNode } from '../host/node-version.ts';
import { goesOnWith } from '../log/goes-on-with.ts';
import { type OwnerEvent, onOwnerEvent } from '../log/owner-events.ts';
import { assertFree } from '../log/ownership.ts';
import { readState } from '../log/session-log.ts';
import type { SessionStore, SessionSummary } from '../log/session-store.ts';
import type { ISession } from '../options/session-interface.ts';
import type { SessionOptions } from '../options/types.ts';
import { STORE, usedStore } from '../store/using-store.ts';
import { askInTurn, GettingFurther } from './ask-in-turn.ts';
import { leavingStore } from './leaving-store.ts';
import { LookOut } from './look-out.ts';
import { left, OpenRuns } from './open-runs.ts';
import type { RunEngine } from './run-engine.ts';
import { METER, measuredBacklog, ownerMetrics, type SessionMeter } from './serve-metrics.ts';
import { isLate } from './sessions-to-run.ts';
import { StoreReach, unfinished } from './store-reach.ts';

/** Options of a served session; its store is that of `serveSessions`, and no other may be named. */
export type ServedOptions = SessionOptions;

/** Options of `serveSessions`. The host closes engine and store, after disposing what `serveSessions` returns. */
export interface ServeSessionsOptions {
  readonly engine: RunEngine;
  /** Default: the file of all sessions in the home directory, opened here and closed when it is disposed of. */
  readonly store?: SessionStore;
  /** Milliseconds between two looks for messages that other processes have sent; default 1000. */
  readonly lookEveryMs?: number;
  /** Milliseconds for which disposing waits for runs under way to end; then they are left where they are. Default 0. */
  readonly drainMs?: number;
  /**
   * A meter of OpenTelemetry; it counts sessions that are lost and taken up here, and measures, when it is read, sessions of the store that wait
   * for somebody to run them.
   */
  readonly meter?: SessionMeter;
  /** Called for each ask, and at the start for each session with something to do; undefined leaves the session alone. */
  readonly options: (sessionId: string) => ServedOptions | undefined | Promise<ServedOptions | undefined>;
  /** Called with what `stream()` yields; the run waits for it. Its errors go to `onError`, and the run goes on. */
  readonly onEvent?: (event: StreamMessage, sessionId: string) => void | Promise<void>;
  /**
   * Called with the reason why a session has to come back later: it is run elsewhere (`SESSION_BUSY`), its run was lost (`RUN_UNFINISHED`)
   * or has left messages (`MESSAGES_WAITING`), the store fails, `options` throws. Called once for options with which the session can never
   * be run (a ValidationError, a missing key): the ask is then done. Also called with errors of `onEvent`. An error that it throws itself
   * is uncaught. Without it each session and code is a warning of the process once, except `SESSION_BUSY`.
   */
  readonly onError?: (error: unknown, sessionId: string) => void;
}

/**
 * Runs sessions that were asked for, until disposed: each is resumed by its id alone, and its runs are pulled until nothing waits. The log
 * says what there is to do, so an ask that comes twice or late changes nothing. A run that ends with an error has ended. A session that
 * cannot be run now, or was lost to another owner, comes back later. A run that waits for the answer to a question takes no place: it goes on
 * when the answer is there, and when the question expires. Resolves when all sessions of the store with messages that wait, or that an aborted run
 * has left before a model saw them, were asked for; those whose process crashed during a run are asked for after them, one after another. From then on
 * it looks for what any process sends, and for runs whose process has ended, and keeps this one alive. Disposing stops runs where they are, after `drainMs`, as a crash would,
 * without recording an end: the next to serve continues them. @throws ValidationError, and errors of engine and store
 */
export async function serveSessions(options: ServeSessionsOptions): Promise<AsyncDisposable> {
  requireNode();
  checkOptions('The options', options, OPTIONS);
  const used = usedStore(options);
  try {
    const serving = await serveOpened({ ...options, store: used.store });
    return {
      async [Symbol.asyncDispose]() {
        try {
          await serving[Symbol.asyncDispose]();
        } finally {
          await used[Symbol.asyncDispose]();
        }
      },
    };
  } catch (error) {
    await used[Symbol.asyncDispose]();
    throw error;
  }
}

/** Options of `serveOpened`, for this package. */
export interface ServeOpenedOptions extends ServeSessionsOptions {
  readonly store: SessionStore;
  /**
   * Called with each session that was resumed for an ask, before it is run; the function it returns is called when that session is closed,
   * with whether the ask is done. An error that it throws brings the session back later.
   */
  readonly onOpen?: (session: ISession) => (isDone: boolean) => void;
  /** Called with each ask; the function it returns is called when there is nothing to do, so that no session is opened. */
  readonly onAsk?: (sessionId: string) => () => void;
}

/** `serveSessions` with access to the open sessions. */
export function serveOpened(options: ServeOpenedOptions): Promise<AsyncDisposable> {
  const { meter, store } = options;
  if (!meter) return serve(options);
  return measuredBacklog(meter, store, () => serve({ ...options, onOwner: ownerMetrics(meter) }));
}

interface Serving extends ServeOpenedOptions {
  /** Called with what happens to the owners of the sessions. */
  readonly onOwner?: (event: OwnerEvent) => void;
}

async function serve(options: Serving): Promise<AsyncDisposable> {
  const { engine, store, lookEveryMs: everyMs = 1_000, drainMs = 0 } = options;
  const leaving = new AbortController();
  const known = {
    reach: new StoreReach(store, leaving.signal),
    busy: new Set<string>(),
    warned: new Set<string>(),
    further: new GettingFurther(),
    runs: new OpenRuns(),
  };
  store.live?.open(); // its first run knows who listens
  const serving = await engine.serve((sessionId, signal) => answer(sessionId, { ...options, ...known, signal }));
  const asking = { engine, store, further: known.further, signal: leaving.signal };
  try {
    const onError = (error: unknown) => report(error, '', { ...options, ...known });
    const unlessClosed = (error: unknown) => {
      // An engine that was closed in the meantime accepts no ask: the next to serve asks again.
      if (codeOf(error) !== 'SESSION_CLOSED') onError(error);
    };
    const onInterrupted = async (sessions: readonly SessionSummary[]) => {
      const { rest } = await askInTurn({ ...asking, sessions });
      rest.catch(unlessClosed);
    };
    const lookOut = await LookOut.begin({ engine, store, everyMs, onInterrupted, onError }); // before it asks: nothing falls in between
    const { rest } = await askInTurn(asking).catch(async (error: unknown) => {
      await lookOut[Symbol.asyncDispose]();
      throw error;
    });
    const asked = rest.catch(unlessClosed);
    return {
      async [Symbol.asyncDispose]() {
        leaving.abort();
        await lookOut[Symbol.asyncDispose]();
        await known.runs.drain(drainMs);
        await Promise.all([serving[Symbol.asyncDispose](), asked]);
        await known.runs.ended();
      },
    };
  } catch (error) {
    leaving.abort();
    await serving[Symbol.asyncDispose]();
    throw error;
  }
}

interface Telling extends Pick<ServeOpenedOptions, 'onError'> {
  /** Sessions and codes that the process was warned of. */
  readonly warned: Set<string>;
}
interface Answering extends Serving, Telling {
  readonly signal: AbortSignal;
  readonly further: GettingFurther;
  readonly runs: OpenRuns;
  readonly reach: StoreReach;
  /** Sessions that were run elsewhere when last asked for. */
  readonly busy: Set<string>;
}

/** Rejects when the session has to come back. */
async function answer(sessionId: string, answering: Answering): Promise<void> {
  const { signal, store, busy, reach } = answering;
  try {
    reach.assertAnswers();
    // Resuming a session that is busy would run its start hooks at each retry.
    if (busy.has(sessionId)) await assertFree(store, sessionId);
    busy.delete(sessionId);
    const done = answering.onAsk?.(sessionId); // before the look: an ask that comes behind it is another
    if (await isLate(store, sessionId)) return done?.();
    await reach.unlessLost(sessionId, answering, (onOwner) =>
      answering.runs.during(() => runAll(sessionId, { ...answering, onOwner })),
    );
  } catch (error) {
    if (codeOf(error) === 'SESSION_BUSY') busy.add(sessionId);
    else busy.delete(sessionId);
    // Nothing waits, or the session is gone: the ask came late.
    if (['NOTHING_TO_STREAM', 'SESSION_NOT_FOUND'].includes(codeOf(error))) return;
    const isLeft = signal.aborted || (answering.runs.isDraining && error instanceof AbortError);
    if (!isLeft) report(error, sessionId, answering);
    if (!isHopeless(error)) throw error;
  } finally {
    answering.further.tell(sessionId);
  }
}

/** True when the host's options can never make a session. */
function isHopeless(error: unknown): boolean {
  const isOfOptions = ['VALIDATION_ERROR', 'AUTHENTICATION_ERROR'].includes(codeOf(error));
  return isOfOptions && isAgentError(error) && error.retryable !== true;
}

function report(error: unknown, sessionId: string, { onError, warned }: Telling): void {
  if (onError) return queueMicrotask(() => onError(error, sessionId));
  const code = codeOf(error);
  const key = `${sessionId} ${code}`;
  if (code === 'SESSION_BUSY' || warned.has(key)) return;
  warned.add(key);
  process.emitWarning(`Session ${sessionId} cannot be served: ${messageOf(error)}`, 'ServeSessionsWarning', code);
}

async function runAll(sessionId: string, answering: Answering & Required<Pick<Serving, 'onOwner'>>): Promise<void> {
  const { signal, store } = answering;
  const options = await answering.options(sessionId);
  if (!options) return;
  if (options.store !== undefined && options.store !== store) {
    throw new ValidationError('The store of a served session is that of serveSessions; leave it out', 'store');
  }
  const own = leavingStore(store, signal);
  onOwnerEvent(own, answering.onOwner);
  const session = await resumeSession({ ...options, sessionId, store: own });
  const stop = () => session.abort();
  signal.addEventListener('abort', stop, { once: true });
  let onClosed: ((isDone: boolean) => void) | undefined;
  let isDone = false;
  try {
    onClosed = answering.onOpen?.(session);
    for (;;) {
      if (signal.aborted || answering.runs.isDraining) throw left();
      const result = await runOnce(session, answering);
      if (signal.aborted) continue;
      if (result?.subtype === 'error') await assertEnded(sessionId, store, result);
      const inbox = await store.inbox(sessionId);
      const { questions } = result ?? {};
      isDone = questions ? !goesOnWith(inbox) : inbox.length === 0;
      if (isDone) return;
      // Messages that a failed run leaves wait for a while, so that a failure before the first of them is no endless loop.
      if (!questions && result?.subtype !== 'success' && result?.subtype !== 'max_turns')
        throw unanswered(sessionId, result);
    }
  } catch (error) {
    isDone = codeOf(error) === 'NOTHING_TO_STREAM';
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await session.close();
    onClosed?.(isDone);
  }
}

/** Events that show that something was recorded. */
const FURTHER: ReadonlySet<StreamMessage['type']> = new Set(['usage', 'tool_result', 'result']);

async function runOnce(session: ISession, answering: Answering): Promise<ResultMessage | undefined> {
  const { signal, onEvent, further } = answering;
  const { sessionId } = session;
  let result: ResultMessage | undefined;
  for await (const event of session.stream()) {
    if (signal.aborted) continue; // not so in the log
    if (event.type === 'result') result = event;
    if (FURTHER.has(event.type)) further.tell(sessionId);
    try {
      await onEvent?.(event, sessionId);
    } catch (error) {
      report(error, sessionId, answering);
    }
  }
  return result;
}

/** Checks that the end of the run is in the log; not when it lost the session, or its store failed. @throws AgentError */
async function assertEnded(sessionId: string, store: SessionStore, { error }: ResultMessage): Promise<void> {
  const { run } = await readState(store, sessionId);
  if (run) throw unfinished(sessionId, String(error ?? 'it was lost'));
}

function unanswered(sessionId: string, result: ResultMessage | undefined): AgentError {
  const how = result?.subtype === 'error' ? `failed: ${messageOf(result.error)}` : `ended with ${result?.subtype}`;
  return new AgentError(`The last run of session ${sessionId} ${how}; messages still wait`, {
    code: 'MESSAGES_WAITING',
    retryable: true,
  });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}

const OPTIONS: OptionRules<ServeSessionsOptions> = {
  engine: is.required(is.having('a RunEngine', 'serve')),
  store: STORE,
  lookEveryMs: is.count(1, LONGEST_TIMER_MS),
  drainMs: is.finiteMilliseconds(LONGEST_TIMER_MS),
  meter: METER,
  options: is.required(is.callback),
  onEvent: is.callback,
  onError: is.callback,
};
