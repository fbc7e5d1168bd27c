import { AbortError } from '@x/core';

/** Calls `ask` and waits for it, unless the signal is aborted first. @throws AbortError */
export function waitForAnswer<T>(ask: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) {
      reject(new AbortError());
      return;
    }
    const onAbort = () => reject(new AbortError());
    signal.addEventListener('abort', onAbort, { once: true });
    const asked = (async () => await ask())(); // what it throws at once is a rejection too
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
