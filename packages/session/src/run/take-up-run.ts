import { SessionError } from '@x/core';
import type { RunState } from '../log/fold.ts';
import type { SessionLog } from '../log/session-log.ts';
import { type LostRun, lostCalls } from './lost-calls.ts';

/** Crashes of a run without a reply or a result in between, after which it is not started again. */
const MAX_CRASHES = 5;

/**
 * Records that another owner continues an open run, and the calls that were lost. Returns the error that ends the run instead when its
 * process has ended too often: an owner that has recorded neither a reply nor a result, and has not left in good order, has crashed.
 */
export async function takeUpRun(
  log: SessionLog,
  { runId, attempts: crashes }: RunState,
  { maxCrashes = MAX_CRASHES, ...lost }: LostRun & { readonly maxCrashes?: number | undefined },
): Promise<SessionError | undefined> {
  await log.append([{ type: 'run_resumed', runId }, ...lostCalls(log.state, lost)]);
  if (crashes < maxCrashes) return undefined;
  const message =
    `The run was begun ${crashes} times since its last reply or result, and its process ended each time; it is not begun again. ` +
    'Find out what ends the process, then send a message to go on';
  return new SessionError(message, { code: 'RUN_CRASHES', details: { crashes } });
}
