import type { HttpExchange } from './http-exchange.ts';
import { type ErrorContext, errorOfAnswer, ModelError } from './model-error.ts';

const BODY_BYTES = 64 * 1024;
/** Milliseconds to wait for the body of an error: its status alone is useful. */
const BODY_MS = 5_000;
const JSON_TYPE = /^application\/json\b/i;
const PAGE_TYPE = /^text\/html\b/i;
/** Values of the header without any coding. */
const NO_CODING: ReadonlySet<string> = new Set(['', 'identity', 'none', 'utf-8', 'utf8']);
const STREAM_START = /^\uFEFF?\s*(?:data|event|id|retry)?:/;

/**
 * Accepts an event stream, and, if the reader supports it, a single object with the whole reply.
 * @throws ModelError for an unsuccessful answer, or any other content
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

/** Some servers send a stream with the type of something else. */
async function beginsAsStream(exchange: HttpExchange): Promise<boolean> {
  const pieces = await exchange.read();
  if (!pieces) return false;
  exchange.unread(pieces);
  return STREAM_START.test(Buffer.concat(pieces).subarray(0, 256).toString('utf8'));
}

/** As much of a body as says something of a failure, or as a short answer has. */
export async function bodyOf(exchange: HttpExchange): Promise<string> {
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
    // the body was cut; the status and the beginning of the body still describe the failure best
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(pieces).toString('utf8');
}
