import { isAgentError, RateLimitError } from '@x/core';
import type { ExecutionContext } from '../src/index.ts';
import {
  ASKED_SECONDS,
  type Execute,
  type ExecutionCourse,
  type ExecutionScript,
  type ScriptedAttempt,
} from './execution-script.ts';

const ERRORS = {
  'final error': () => new Error('final error'),
  'network error': () => Object.assign(new Error('network error'), { code: 'ECONNRESET' }),
  'asks to wait': () => new RateLimitError('asks to wait', ASKED_SECONDS),
} as const;

/** Runs a script to the end of all its work, and tells what happened. */
export async function courseOf(script: ExecutionScript, execute: Execute, now: () => number): Promise<ExecutionCourse> {
  const beganMs = now();
  const startedMs: number[] = [];
  const late: string[] = [];
  const ends: Promise<unknown>[] = [];
  const caller = new AbortController();
  const work = (_: object, context: ExecutionContext): Promise<string> => {
    startedMs.push(now() - beganMs);
    const attempt = script.attempts[startedMs.length - 1] ?? { lastsMs: 0, ends: 'value', obeys: true };
    const end = attemptOf(attempt, context.signal);
    ends.push(end.catch(() => undefined));
    return end;
  };
  const abort =
    script.abortMs === undefined ? undefined : setTimeout(() => caller.abort(new Error('enough')), script.abortMs);
  const ended = execute(work, {
    ...script.options,
    jitter: 'none',
    signal: caller.signal,
    onLateSettlement: ({ attempt, outcome }) => {
      const how = outcome.status === 'fulfilled' ? String(outcome.value) : (outcome.reason as Error).message;
      late.push(`${attempt} ${how} at ${now() - beganMs}`);
    },
  });
  const outcome = (await ended.catch(outcomeOf)) as ExecutionCourse['outcome']; // the names of the script
  const endedMs = now() - beganMs;
  clearTimeout(abort);
  await Promise.all(ends);
  await Promise.resolve(); // the report of a late end comes behind it
  return { startedMs, outcome, endedMs, late };
}

function attemptOf({ lastsMs, ends, obeys }: ScriptedAttempt, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', onAbort);
      if (ends === 'value') resolve('value');
      else reject(ERRORS[ends]());
    };
    const onAbort = () => {
      if (!obeys) return;
      clearTimeout(timer);
      reject(new Error('obeyed'));
    };
    const timer = setTimeout(end, lastsMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function outcomeOf(error: unknown): string {
  if (isAgentError(error) && (error.code === 'TIMEOUT' || error.code === 'ABORTED')) return error.code;
  return (error as Error).message;
}
