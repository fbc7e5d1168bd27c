import { AbortError, AgentError, isAgentError, isRecord, messageOf, type ValidationIssue } from '@x/errors';

/** Facts of an answer that an error has; `retryAfter` is in seconds, `requestId` is what the log of the server is searched for. */
export interface HttpErrorFacts {
  readonly details?: unknown;
  readonly retryAfter?: number;
  readonly requestId?: string;
  /** The call has ended in the middle: look before you call again. */
  readonly outcome?: 'unknown';
}

/**
 * A request that failed. `code` and `statusCode` are those of the server; the client's own codes are `CONNECTION_FAILED`, `INVALID_ANSWER`
 * and `EVENT_TOO_LARGE`.
 */
export class HttpError extends AgentError {
  override readonly name = 'HttpError';
  /** Faults of the request, as the server names them. */
  declare readonly details?: readonly ValidationIssue[];
  /** Seconds. */
  declare readonly retryAfter?: number;
  declare readonly requestId?: string;
  /** The effect of the tool may have happened. */
  declare readonly outcome?: 'unknown';

  constructor(
    message: string,
    code: string,
    statusCode: number,
    facts: HttpErrorFacts & { readonly cause?: unknown } = {},
  ) {
    const { cause, details, ...shown } = facts;
    super(message, { code, statusCode, cause, ...(details === undefined ? {} : { details }) });
    Object.assign(this, shown);
  }
}

/** True when the server could not be reached, or a proxy says so: the same request may soon succeed. */
export function isPassing(error: unknown): boolean {
  return error instanceof HttpError && [502, 503, 504].includes(error.statusCode);
}

/** An error from the body that all errors of the server have. */
export function errorFrom(body: unknown, statusCode: number, facts: HttpErrorFacts = {}): HttpError {
  if (!isRecord(body) || typeof body['error'] !== 'string' || typeof body['code'] !== 'string')
    return invalidAnswer(`The answer is no JSON of this API (status ${statusCode})`, statusCode);
  const { error, code, details, requestId } = body;
  return new HttpError(withFaults(error, details), code, statusCode, {
    ...facts,
    ...(Array.isArray(details) ? { details } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  });
}

/** Adds the first fault and the number of others: "Validation failed" alone says nothing to who reads a log. */
function withFaults(error: string, details: unknown): string {
  const [first, ...others]: unknown[] = Array.isArray(details) ? details : [];
  if (!isRecord(first) || typeof first['message'] !== 'string' || error.includes(first['message'])) return error;
  return `${error}: ${first['message']}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}

/** The error of an answer whose status is one. */
export async function errorOfAnswer(answer: Response): Promise<HttpError> {
  const { status, headers } = answer;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const requestId = headers.get('x-request-id');
  return errorFrom(parsed(await answer.text()), status, {
    ...(Number.isFinite(retryAfter) && retryAfter >= 0 ? { retryAfter } : {}),
    ...(requestId === null ? {} : { requestId }),
    ...(headers.get('x-tool-outcome') === 'unknown' ? { outcome: 'unknown' } : {}),
  });
}

/** `statusCode` is 500 for an answer that looked like a success: the next one would be the same, so it is none that passes. */
export function invalidAnswer(message: string, statusCode = 500): HttpError {
  return new HttpError(message, 'INVALID_ANSWER', statusCode < 400 ? 500 : statusCode);
}

/** The typed form of an error that `fetch`, or the reading of an answer, has thrown. */
export function connectionError(thrown: unknown, signal: AbortSignal | undefined): AgentError {
  if (signal?.aborted) return new AbortError('The request was aborted');
  if (isAgentError(thrown)) return thrown;
  const message = `The server cannot be reached, or has ended the connection: ${messageOf(thrown)}`;
  return new HttpError(message, 'CONNECTION_FAILED', 503, { cause: thrown });
}

/** Undefined for a text that is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // nothing that JSON can say
  }
}
