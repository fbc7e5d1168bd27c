import { sleep } from '@x/core';
import type { OptionRule } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { RETRY_MS, reconnectMs } from './followed-events.ts';
import { isPassing } from './http-error.ts';

/** The key of a request that may be repeated. */
export const KEY: OptionRule = is.rule(
  '1 to 255 visible ASCII characters',
  (value) => typeof value === 'string' && /^[!-~]{1,255}$/.test(value),
);
/** Times that a request is sent while the server cannot be reached: over some four seconds. */
const SENDINGS = 5;

/** Sends a request under a key, by default a new one, and again while the server cannot be reached. @throws as `send` */
export async function keyed<T>(
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
  { key = newKey(), signal }: { readonly key?: string | undefined; readonly signal: AbortSignal | undefined },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send({ 'Idempotency-Key': key });
    } catch (error) {
      if (!isPassing(error) || attempt === SENDINGS) throw error;
      await sleep(reconnectMs(attempt, RETRY_MS), signal);
    }
  }
}

/** 128 random bits; `randomUUID` is missing on pages without https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
