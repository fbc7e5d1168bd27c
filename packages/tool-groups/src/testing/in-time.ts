import { inspect, isDeepStrictEqual } from 'node:util';
import { AgentError } from '@x/core';
import { messageOf } from '@x/core/internal';

/** Awaits `promise`. @throws AgentError `CONTRACT_BROKEN` when it is not settled in time */
export async function inTime<T>(promise: Promise<T>, patienceMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(broken(`Not settled within ${patienceMs} ms`)), patienceMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws AgentError `CONTRACT_BROKEN` when the two differ */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw broken(`${what}: expected ${inspect(expected, { depth: 6 })}, got ${inspect(actual, { depth: 6 })}`);
}

/** The code of the error a promise rejects with, else its text. @throws AgentError `CONTRACT_BROKEN` when it does not reject */
export async function rejection(promise: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return (error as { readonly code?: unknown } | undefined)?.code ?? messageOf(error); // safe: anything may be thrown
  }
  throw broken(`${what}: it was expected to reject`);
}

/** The error for a broken promise. */
export function broken(message: string): AgentError {
  return new AgentError(message, { code: 'CONTRACT_BROKEN' });
}
