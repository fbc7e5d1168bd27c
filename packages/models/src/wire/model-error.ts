import { AbortError, AgentError, isAgentError, isRetryable, retryAfterMs } from '@x/core';
import { messageOf } from '@x/core/internal';
import { saysContextOverflow } from './context-overflow.ts';
import { recordOf } from './json-values.ts';
import { type ModelErrorCode, modelErrorCode } from './model-error-code.ts';

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
/** The service's own description of its error, for programs. */
export interface VendorFacts {
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
}

/** The codes, each with its HTTP status if the service gave none. */
const MODEL_STATUS = {
  AUTHENTICATION_ERROR: 401,
  MODEL_NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 429,
  QUOTA_EXCEEDED: 429,
  CONTEXT_OVERFLOW: 400,
  MODEL_OVERLOADED: 503,
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
/** The provider to name, and the key to hide. */
export interface ErrorContext {
  readonly provider: string;
  readonly apiKey: string;
  /** From the headers of the answer. */
  readonly requestId?: string | undefined;
  /** The answer has begun: a failing connection cuts it. */
  readonly isAnswered?: boolean;
}

/** Headers with the id of a request: OpenAI and compatible services, Anthropic, Azure twice. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'apim-request-id', 'x-ms-request-id'];
/** The status that an error in the middle of a stream would have had, by its type or code. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  content_filter: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
  // names of google.rpc.Code
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
  CANCELLED: 499,
};
/** 499 comes from the service itself: when we cancel, we close the connection, and read nothing more. */
const RETRYABLE_4XX = new Set([408, 409, 425, 429, 499]);
const EXCERPT = 500;
/** Least number of characters of a key. */
const SHORTEST_SECRET = 8;

/** The error for an HTTP answer outside 200 to 299. */
export function errorOfAnswer({ status, headers, body }: FailedAnswer, context: ErrorContext): ModelError {
  const answer = parsed(body);
  const error = errorObject(answer);
  const facts = factsOfError(error, context);
  const retryAfter = retryAfterSeconds(headers) ?? retryDelaySeconds(error);
  const requestId = requestIdIn(headers) ?? textIn(answer, 'request_id');
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
  const facts = factsOfError(error, context);
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
  if (advice === 'true' || advice === 'false') return advice === 'true';
  return RETRYABLE_4XX.has(status) || status >= 500;
}

function retryAfterSeconds(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = headers['retry-after-ms']?.trim() ?? '';
  const waitMs = /^\d{1,12}(?:\.\d{1,6})?$/.test(exact) ? Number(exact) : retryAfterMs({ headers });
  return waitMs === undefined ? undefined : waitMs / 1000;
}

/** Google's details of an error: `google.rpc.RetryInfo`, `QuotaFailure`, `ErrorInfo`. */
function detailsIn(error: unknown): readonly unknown[] {
  const details = recordOf(error)?.['details'];
  return Array.isArray(details) ? details : [];
}

/** All types and codes of the error. */
function namesIn(error: unknown, { type, code }: VendorFacts = {}): readonly string[] {
  const names: unknown[] = [type, code];
  for (const detail of detailsIn(error)) {
    const { reason, violations } = recordOf(detail) ?? {};
    names.push(reason);
    for (const one of Array.isArray(violations) ? violations : []) names.push(recordOf(one)?.['quotaId']);
  }
  return names.filter((name) => typeof name === 'string');
}

/** Google's delay in the body: `google.rpc.RetryInfo` among the details, such as `{ retryDelay: '3.5s' }`. */
function retryDelaySeconds(error: unknown): number | undefined {
  for (const detail of detailsIn(error)) {
    const delay = recordOf(detail)?.['retryDelay'];
    const seconds =
      typeof delay === 'string' && /^[0-9.]{1,20}s$/.test(delay) ? Number(delay.slice(0, -1)) : Number.NaN;
    if (seconds >= 0) return seconds;
  }
  return undefined;
}

/** The id of a request, from the headers of its answer. */
export function requestIdIn(headers: Readonly<Record<string, string>>): string | undefined {
  const name = REQUEST_ID_HEADERS.find((header) => headers[header]);
  return name === undefined ? undefined : headers[name];
}

function textIn(value: unknown, field: string): string | undefined {
  const text = recordOf(value)?.[field];
  return typeof text === 'string' ? text : undefined;
}

function statusOf(facts: VendorFacts | undefined): number {
  const named = Number(facts?.code);
  if (named >= 400 && named <= 599) return named;
  const name = [facts?.type, facts?.code].find((word) => word !== undefined && Object.hasOwn(STATUS_OF, word));
  return name === undefined ? 502 : STATUS_OF[name]!; // an own key
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // a proxy's page; the caller shows the text itself
  }
}

/** Most services answer `{ error }`, some `[{ error }]`, some the error itself. */
function errorObject(body: unknown): unknown {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null) return first;
  return Object.hasOwn(first, 'error') ? (first as { error: unknown }).error : first;
}

function factsOfError(error: unknown, context: ErrorContext): VendorFacts | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const facts: Record<string, string> = {};
  for (const key of ['type', 'code', 'param']) {
    const value: unknown = Object.hasOwn(error, key) ? (error as Record<string, unknown>)[key] : undefined;
    if (typeof value === 'string' || typeof value === 'number') facts[key] = readable(String(value), context);
  }
  const status = recordOf(error)?.['status']; // Google's word for the type
  if (typeof status === 'string') facts['type'] ??= readable(status, context);
  return Object.keys(facts).length === 0 ? undefined : facts;
}

function textOfError(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return undefined;
  const { message, detail } = error as { message?: unknown; detail?: unknown };
  const text = message ?? detail;
  return typeof text === 'string' ? text : JSON.stringify(text ?? error);
}

/** The message of the cause, since `fetch failed` explains nothing. */
function reasonOf(failure: unknown): string {
  const cause = failure instanceof Error ? failure.cause : undefined;
  return cause === undefined ? messageOf(failure) : `${messageOf(failure)} (${messageOf(cause)})`;
}

/** Hides the key. One of a few letters, as for local servers, is no secret, and may occur in ordinary words. */
function readable(text: string, { apiKey }: ErrorContext): string {
  const shown = apiKey.length < SHORTEST_SECRET ? text : text.replaceAll(apiKey, '***');
  return shown.slice(0, EXCERPT);
}
