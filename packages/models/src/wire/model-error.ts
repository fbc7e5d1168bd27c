import { AbortError, AgentError, isAgentError, isRetryable, retryAfterMs } from '@x/core';
import { type ModelErrorCode, messageOf, type RateLimits } from '@x/core/internal';
import { saysContextOverflow } from './context-overflow.ts';
import { recordOf } from './json-values.ts';
import { modelErrorCode } from './model-error-code.ts';
import {
  errorObject,
  factsOfError,
  namesIn,
  parsedBody,
  retryDelaySeconds,
  statusOf,
  textIn,
  textOfError,
  type VendorFacts,
} from './vendor-error.ts';

/** Options of a `ModelError`. */
export interface ModelErrorOptions {
  readonly provider: string;
  readonly retryable: boolean;
  /** Default `MODEL_ERROR`, or `CONTEXT_OVERFLOW` with `contextOverflow`. */
  readonly code?: ModelErrorCode;
  /** HTTP status; if the service gave none, that of the code, mostly 502. */
  readonly statusCode?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly requestId?: string;
  readonly details?: VendorFacts;
  /** The messages do not fit the model's window. */
  readonly contextOverflow?: boolean;
  readonly cause?: unknown;
}
/** The codes, each with its HTTP status if the service gave none. */
const MODEL_STATUS = {
  AUTHENTICATION_ERROR: 401,
  MODEL_NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 429,
  QUOTA_EXCEEDED: 429,
  CONTEXT_OVERFLOW: 400,
  MODEL_OVERLOADED: 503,
  MODEL_UNAVAILABLE: 503,
  STREAM_CUT: 502,
  MODEL_ERROR: 502,
} as const;

/** A failed model call: refused by the service, cut off, or not understood. `code` is the cause. */
export class ModelError extends AgentError {
  override readonly name = 'ModelError';
  declare readonly code: ModelErrorCode;
  declare readonly retryable: boolean;
  declare readonly details?: VendorFacts;
  readonly provider: string;
  /** Seconds that the service asks to wait. */
  readonly retryAfter?: number;
  readonly requestId?: string;
  /** The messages do not fit the model's window; checked by `isContextOverflow`. */
  declare readonly contextOverflow?: true;

  constructor(message: string, options: ModelErrorOptions) {
    const { provider, retryable, retryAfter, requestId, details, cause } = options;
    const code = options.code ?? (options.contextOverflow ? 'CONTEXT_OVERFLOW' : 'MODEL_ERROR');
    super(message, {
      code,
      statusCode: options.statusCode ?? MODEL_STATUS[code],
      retryable,
      ...(details === undefined ? {} : { details }),
      ...(cause === undefined ? {} : { cause }),
    });
    this.provider = provider;
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
    if (requestId !== undefined) this.requestId = requestId;
    if (options.contextOverflow) this.contextOverflow = true;
  }
}

/** An unsuccessful answer. Header names are lower case. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As much of the body as was read. */
  readonly body: string;
}
/** The provider to name, and the secrets to hide. */
export interface ErrorContext {
  readonly provider: string;
  readonly apiKey: string;
  /** Further texts to hide, such as a token in a header. */
  readonly secrets?: readonly string[];
  /** From the headers of the answer. */
  readonly requestId?: string | undefined;
  /** From the same. */
  readonly limits?: RateLimits | undefined;
  /** The answer has begun: a failing connection cuts it. */
  readonly isAnswered?: boolean;
}

/** Headers with the id of a request: OpenAI and compatible services, Anthropic, Azure twice. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id', 'x-ms-request-id'];
/** 499 comes from the service itself: when we cancel, we close the connection, and read nothing more. */
const RETRYABLE_4XX = new Set([408, 409, 425, 429, 499]);
/** Groq: the model has written a call that is none, or of an unknown tool; a retry mostly succeeds. */
const MISCALLED = 'tool_use_failed';
const EXCERPT = 500;
const NONE: readonly string[] = [];
/** Least number of characters of a key. */
const SHORTEST_SECRET = 8;

/** The error for an HTTP answer outside 200 to 299. */
export function errorOfAnswer({ status, headers, body }: FailedAnswer, context: ErrorContext): ModelError {
  const answer = parsedBody(body);
  const error = errorObject(answer);
  const facts = factsOfError(error, (text) => readable(text, context));
  const retryAfter = retryAfterSeconds(headers) ?? retryDelaySeconds(error);
  const requestId = requestIdIn((name) => headers[name]) ?? textIn(answer, 'request_id');
  const text = readable(textOfError(error) ?? body.trim(), context);
  const contextOverflow = saysContextOverflow({ status, text, ...facts });
  return new ModelError(`${context.provider} answered ${status}${text === '' ? '' : `: ${text}`}`, {
    provider: context.provider,
    statusCode: status,
    ...(contextOverflow ? {} : { code: modelErrorCode({ status, text, names: namesIn(error, facts) }) }),
    retryable: !contextOverflow && isRetryableAnswer(status, headers['x-should-retry'], facts),
    ...(contextOverflow ? { contextOverflow } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(requestId === undefined ? {} : { requestId: readable(requestId, context) }),
    ...(facts === undefined ? {} : { details: facts }),
  });
}

/** The error for an `error` object in the middle of a stream; `named` is the id of the request, if the event has it. */
export function errorOfEvent(error: unknown, context: ErrorContext, named?: unknown): ModelError {
  const facts = factsOfError(error, (text) => readable(text, context));
  const requestId = typeof named === 'string' ? named : context.requestId;
  const status = statusOf(facts);
  const retryAfter = retryDelaySeconds(error);
  const text = readable(textOfError(error) ?? 'no reason given', context);
  const contextOverflow = saysContextOverflow({ status, text, ...facts });
  return new ModelError(`${context.provider} ended the stream with an error: ${text}`, {
    provider: context.provider,
    statusCode: status,
    ...(contextOverflow ? {} : { code: modelErrorCode({ status, text, names: namesIn(error, facts) }) }),
    retryable: !contextOverflow && isRetryableAnswer(status, undefined, facts),
    ...(contextOverflow ? { contextOverflow } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(requestId === undefined ? {} : { requestId: readable(requestId, context) }),
    ...(facts === undefined ? {} : { details: facts }),
  });
}

/** The error for anything thrown on the way to the service; core's own errors pass, an abort becomes `AbortError`. */
export function errorOfFailure(failure: unknown, context: ErrorContext, signal?: AbortSignal): AgentError {
  if (isAgentError(failure)) return failure;
  if (signal?.aborted) return new AbortError();
  // clients wrap errors thrown while they send
  if (failure instanceof Error && isAgentError(failure.cause)) return failure.cause;
  const answer = answerOfFailure(failure);
  if (answer) return errorOfAnswer(answer, context);
  return new ModelError(`The connection to ${context.provider} failed: ${readable(reasonOf(failure), context)}`, {
    provider: context.provider,
    ...(context.isAnswered ? { code: 'STREAM_CUT' } : {}),
    retryable: isRetryable(failure),
    cause: failure,
  });
}

/** The answer inside an error of a vendor's client. Such an error is not kept as a cause: its text is not ours to clean. */
function answerOfFailure(failure: unknown): FailedAnswer | undefined {
  if (typeof failure !== 'object' || failure === null) return undefined;
  const { status, headers, error } = failure as { status?: unknown; headers?: unknown; error?: unknown };
  if (typeof status !== 'number') return undefined;
  const whole = recordOf(error); // Anthropic's client keeps the whole body there, others what stands in it
  const body = JSON.stringify(whole && Object.hasOwn(whole, 'error') ? whole : { error }) ?? '';
  return { status, headers: headers instanceof Headers ? Object.fromEntries(headers) : {}, body };
}

function isRetryableAnswer(status: number, advice: string | undefined, facts: VendorFacts | undefined): boolean {
  if (facts?.code === 'insufficient_quota' || facts?.type === 'insufficient_quota') return false;
  if (facts?.code === MISCALLED) return true;
  if (advice === 'true' || advice === 'false') return advice === 'true';
  return RETRYABLE_4XX.has(status) || status >= 500;
}

function retryAfterSeconds(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = headers['retry-after-ms']?.trim() ?? '';
  const waitMs = /^\d{1,12}(?:\.\d{1,6})?$/.test(exact) ? Number(exact) : retryAfterMs({ headers });
  return waitMs === undefined ? undefined : waitMs / 1000;
}

/** The id of a request, from the headers of its answer: `header` gives one by its name in lower case. */
export function requestIdIn(header: (name: string) => string | undefined): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const id = header(name);
    if (id) return id;
  }
  return undefined;
}

/** The message of the cause, since `fetch failed` explains nothing. */
function reasonOf(failure: unknown): string {
  const cause = failure instanceof Error ? failure.cause : undefined;
  return cause === undefined ? messageOf(failure) : `${messageOf(failure)} (${messageOf(cause)})`;
}

/** A text without the secrets, cut. A key of a few letters, as for local servers, is no secret, and may occur in ordinary words. */
export function readable(text: string, { apiKey, secrets = NONE }: ErrorContext): string {
  let shown = without(apiKey, text);
  for (const secret of secrets) shown = without(secret, shown);
  return shown.slice(0, EXCERPT);
}

function without(secret: string, text: string): string {
  return secret.length >= SHORTEST_SECRET && text.includes(secret) ? text.replaceAll(secret, '***') : text;
}
