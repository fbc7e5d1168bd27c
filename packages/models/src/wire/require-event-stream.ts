import type { HttpExchange } from './http-exchange.ts';
import { type ErrorContext, errorOfAnswer, ModelError } from './model-error.ts';

const BODY_BYTES = 64 * 1024;
/** How long the body of an error is waited for: its status alone is worth telling. */
const BODY_MS = 5_000;
const JSON_TYPE = /^application\/json\b/i;
const PAGE_TYPE = /^text\/html\b/i;
/** What servers write there that have coded nothing. */
const NO_CODING: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8', 'utf8']);
const STREAM_START = /^\uFEFF?\s*(?:data|event|id|retry)?:/;

/**
 * Lets an event stream pass, and, where the reader can do with it, a single object that says it all.
 * @throws ModelError for an answer that is not a success, or is something else
 */
export async function requireEventStream(
  exchange: HttpExchange,
  context: ErrorContext,
  { takesJson = false }: { readonly takesJson?: boolean | undefined } = {},
): Promise<void> {
  const { status } = exchange;
  const type = exchange.header('content-type') ?? '';
  const coding = (exchange.header('content-encoding') ?? '').trim().toLowerCase();
  const isPlain = NO_CODING.has(coding);
  const success = status >= 200 && status < 300;
  const isOther = PAGE_TYPE.test(type) || (!takesJson && JSON_TYPE.test(type));
  if (success && isPlain && (!isOther || (await beginsAsStream(exchange)))) return;
  const { provider } = context;
  if (success && !isPlain) {
    throw new ModelError(`${provider} compressed its answer (${coding}), which was not asked for`, {
      provider,
      retryable: false,
    });
  }
  const body = await bodyOf(exchange);
  if (!success || body.includes('"error"')) {
    throw errorOfAnswer({ status, headers: exchange.headers, body }, context);
  }
  throw new ModelError(`${provider} answered with ${type} instead of an event stream`, { provider, retryable: false });
}

/** Some servers send a stream under the name of something else. */
async function beginsAsStream(exchange: HttpExchange): Promise<boolean> {
  const pieces = await exchange.read();
  if (!pieces) return false;
  exchange.unread(pieces);
  return STREAM_START.test(Buffer.concat(pieces).subarray(0, 256).toString('utf8'));
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
