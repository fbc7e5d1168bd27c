import { type ErrorContext, errorOfAnswer, ModelError } from '../model-error.ts';
import type { HttpExchange } from './http-exchange.ts';

const BODY_BYTES = 64 * 1024;
/** How long the body of an error is waited for: its status alone is worth telling. */
const BODY_MS = 5_000;
const NOT_A_STREAM = /^(?:application\/json|text\/html)\b/i;

/** @throws ModelError for an answer that is not a success, or is something else than an event stream */
export async function requireEventStream(exchange: HttpExchange, context: ErrorContext): Promise<void> {
  const { status, headers } = exchange;
  const type = headers['content-type'] ?? '';
  const coding = headers['content-encoding'] ?? 'identity';
  const success = status >= 200 && status < 300;
  if (success && coding === 'identity' && !NOT_A_STREAM.test(type)) return;
  const { provider } = context;
  if (success && coding !== 'identity') {
    throw new ModelError(`${provider} compressed its answer (${coding}), which was not asked for`, {
      provider,
      retryable: false,
    });
  }
  const body = await bodyOf(exchange);
  if (!success || body.includes('"error"')) throw errorOfAnswer({ status, headers, body }, context);
  throw new ModelError(`${provider} answered with ${type} instead of an event stream`, { provider, retryable: false });
}

async function bodyOf(exchange: HttpExchange): Promise<string> {
  const timer = setTimeout(() => exchange.close(), BODY_MS);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    while (bytes < BODY_BYTES) {
      const more = await exchange.read();
      if (!more) break;
      pieces.push(...more);
      for (const piece of more) bytes += piece.length;
    }
  } catch {
    // the body was cut; the status and what came of the body are still the best account of what went wrong
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(pieces).toString('utf8');
}
