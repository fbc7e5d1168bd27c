import { AbortError } from '@x/core';

/** Awaits `begin`, or throws an `AbortError` as soon as the signal is aborted; then nothing is begun, or its end not awaited. */
export async function untilAborted<T>(begin: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new AbortError();
  const cut = Promise.withResolvers<never>();
  const onAbort = () => cut.reject(new AbortError());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([(async () => begin())(), cut.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
