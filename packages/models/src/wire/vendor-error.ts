import { recordOf } from './json-values.ts';

/** The service's own description of its error, for programs. */
export interface VendorFacts {
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
}

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

/** Google's details of an error: `google.rpc.RetryInfo`, `QuotaFailure`, `ErrorInfo`. */
function detailsIn(error: unknown): readonly unknown[] {
  const details = recordOf(error)?.['details'];
  return Array.isArray(details) ? details : [];
}

/** All types and codes of the error. */
export function namesIn(error: unknown, { type, code }: VendorFacts = {}): readonly string[] {
  const names: unknown[] = [type, code];
  for (const detail of detailsIn(error)) {
    const { reason, violations } = recordOf(detail) ?? {};
    names.push(reason);
    for (const one of Array.isArray(violations) ? violations : []) names.push(recordOf(one)?.['quotaId']);
  }
  return names.filter((name) => typeof name === 'string');
}

/** Google's delay in the body: `google.rpc.RetryInfo` among the details, such as `{ retryDelay: '3.5s' }`. */
export function retryDelaySeconds(error: unknown): number | undefined {
  for (const detail of detailsIn(error)) {
    const delay = recordOf(detail)?.['retryDelay'];
    const seconds =
      typeof delay === 'string' && /^[0-9.]{1,20}s$/.test(delay) ? Number(delay.slice(0, -1)) : Number.NaN;
    if (seconds >= 0) return seconds;
  }
  return undefined;
}

/** Most services answer `{ error }`, some `[{ error }]`, some the error itself. */
export function errorObject(body: unknown): unknown {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null) return first;
  return Object.hasOwn(first, 'error') ? (first as { error: unknown }).error : first;
}

/** The facts of an error object; `readable` hides what nobody may see. */
export function factsOfError(error: unknown, readable: (text: string) => string): VendorFacts | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const facts: Record<string, string> = {};
  for (const key of ['type', 'code', 'param']) {
    const value: unknown = Object.hasOwn(error, key) ? (error as Record<string, unknown>)[key] : undefined;
    if (typeof value === 'string' || typeof value === 'number') facts[key] = readable(String(value));
  }
  const status = recordOf(error)?.['status']; // Google's word for the type
  if (typeof status === 'string') facts['type'] ??= readable(status);
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** Words of a router that say nothing; the reason of the service behind it is in `metadata.raw` (OpenRouter). */
const GENERIC = 'Provider returned error';

/** The words of an error object. */
export function textOfError(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return undefined;
  const { message, detail, metadata } = error as { message?: unknown; detail?: unknown; metadata?: unknown };
  const text = message ?? detail;
  const raw = message === GENERIC ? recordOf(metadata)?.['raw'] : undefined;
  if (typeof raw === 'string' && raw !== '') return `${GENERIC}: ${textOfError(errorObject(parsedBody(raw))) ?? raw}`;
  return typeof text === 'string' ? text : JSON.stringify(text ?? error);
}

/** The status of an error without one: by its code or type, else 502. */
export function statusOf(facts: VendorFacts | undefined): number {
  const named = Number(facts?.code);
  if (named >= 400 && named <= 599) return named;
  const name = [facts?.type, facts?.code].find((word) => word !== undefined && Object.hasOwn(STATUS_OF, word));
  return name === undefined ? 502 : STATUS_OF[name]!; // an own key
}

/** A body as JSON; undefined for anything else. */
export function parsedBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // a proxy's page; the caller shows the text itself
  }
}

/** A text field of a record. */
export function textIn(value: unknown, field: string): string | undefined {
  const text = recordOf(value)?.[field];
  return typeof text === 'string' ? text : undefined;
}
