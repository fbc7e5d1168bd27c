import type { EntryBody } from '../log/entry.ts';
import type { LastResult, SessionQuery, SessionRunState, SessionSummary } from '../log/session-store.ts';

/** The part of a list row that entries change: `run` is null once the run has ended. */
export interface RunMark {
  readonly run: 'open' | 'waiting' | null;
  /** Of a waiting one: when the first question expires, in milliseconds since 1970. */
  readonly until?: number;
  readonly lastResult?: LastResult;
}

/** The mark that this entry leaves; undefined for one that is not about the course of a run. */
export function markOf(body: EntryBody): RunMark | undefined {
  if (body.type === 'run_ended') return { run: null, lastResult: resultOf(body) };
  if (body.type === 'run_started' || body.type === 'run_resumed') return { run: 'open' };
  if (body.type === 'run_left') return body.waits ? { run: 'waiting', ...body.waits } : { run: 'open' };
  if (body.type === 'blob' && body.of === 'run_ended') return { run: null }; // too large to say how
  return undefined;
}

/** The mark that these entries leave together. */
export function lastMark(entries: readonly EntryBody[]): RunMark | undefined {
  const marks = entries.flatMap((body) => markOf(body) ?? []);
  const last = marks.at(-1);
  const lastResult = marks.findLast((mark) => mark.lastResult)?.lastResult;
  return last && { ...last, ...(lastResult ? { lastResult } : {}) };
}

/** True for entries between the start and the end of a run, which both set the exact time of a session. */
export function isStepOfRun({ type }: EntryBody): boolean {
  return type === 'record' || type === 'blob';
}

function resultOf({ subtype, error }: Extract<EntryBody, { type: 'run_ended' }>): LastResult {
  return { subtype, ...(error ? { error: { code: error.code, message: error.message } } : {}) };
}

/** `isHeld`: somebody has the lease. A copy that nobody has owned yet is idle: whoever made it goes on with it, or nobody. */
export function stateOf(run: RunMark['run'], epoch: number, isHeld: () => boolean): SessionRunState {
  if (run === null || epoch === 0) return 'idle';
  if (run === 'waiting') return 'waiting';
  return isHeld() ? 'running' : 'interrupted';
}

/** The states that a query selects. */
export function statesOf(state: NonNullable<SessionQuery['state']>): readonly SessionRunState[] {
  return typeof state === 'string' ? [state] : state;
}

/** True for a session that the query selects, by all but its place in the order. */
export function isAskedFor(
  { sessionId, cwd, state, expiredAt, metadata }: SessionQuery,
  found: Omit<SessionSummary, 'head' | 'updatedAt'>,
): boolean {
  if (sessionId !== undefined && found.sessionId !== sessionId) return false;
  if (cwd !== undefined && found.cwd !== cwd) return false;
  if (state !== undefined && !statesOf(state).some((one) => one === found.state)) return false;
  if (expiredAt !== undefined && !(found.expiresAt !== undefined && found.expiresAt <= expiredAt)) return false;
  return Object.entries(metadata ?? {}).every(
    ([key, value]) => Object.hasOwn(found.metadata ?? {}, key) && found.metadata?.[key] === value,
  );
}
