import type { Endpoint } from './endpoint.ts';
import type { LentBody } from './history-bytes.ts';
import { currentDispatcher } from './http-dispatcher.ts';
import { HttpExchange } from './http-exchange.ts';

/** Errors of a kept connection that the service had already closed. */
const STALE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The answer's head; retried once when a kept connection turns out to be dead. */
export async function openExchange(
  { origin, path, headers }: Endpoint,
  body: LentBody,
  signal: AbortSignal,
  hasAnswered: boolean,
): Promise<HttpExchange> {
  const request = { origin, path, headers, body: body.bytes, signal, onComplete: body.giveBack };
  const first = new HttpExchange(currentDispatcher(), request);
  try {
    await first.opened();
    return first;
  } catch (failure) {
    if (signal.aborted || !isStale(failure, hasAnswered)) throw failure;
  }
  const second = new HttpExchange(currentDispatcher(), request);
  await second.opened();
  return second;
}

/** A connection on which nothing was ever received was not a kept one: the service may have begun to work before it closed it. */
function isStale(failure: unknown, hasAnswered: boolean): boolean {
  const { code, socket, cause } = failure as SocketFailure & { readonly cause?: SocketFailure };
  const bytesRead = (socket ?? cause?.socket)?.bytesRead;
  return hasAnswered && STALE.has(String(code ?? cause?.code)) && bytesRead !== 0;
}

/** An error of undici, unchecked. */
interface SocketFailure {
  readonly code?: unknown;
  readonly socket?: { readonly bytesRead?: unknown } | null;
}
