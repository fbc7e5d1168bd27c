import { isAgentError, messageOf, type ValidationIssue } from '@x/errors';
import type { Settings } from '../settings/http-options.ts';
import { answerJson } from './answer.ts';
import type { HttpContext } from './http-env.ts';

/** More fields of an error's answer. */
export interface AnswerFacts {
  readonly details?: readonly ValidationIssue[];
  readonly executionTime?: number;
  readonly timestamp?: string;
}
export type AnswerError = (
  context: HttpContext,
  thrown: unknown,
  facts?: AnswerFacts,
  headers?: Readonly<Record<string, string>>,
) => Response;
export type DescribeError = (
  context: HttpContext,
  thrown: unknown,
) => { readonly statusCode: number; readonly body: object };

/** An error as a caller sees it. */
export interface ShownFailure {
  readonly statusCode: number;
  readonly code: string;
  readonly error: string;
  /** True when its own words are kept from the caller, who gets the id of the request to ask with. */
  readonly isHidden: boolean;
}

interface Failure {
  readonly statusCode: number;
  readonly code: string;
  readonly message: string;
}

/** Logs an error and answers it. */
export function errorAnswers(settings: Settings): AnswerError {
  const describe = errorBodies(settings);
  return (context, thrown, facts = {}, headers = {}) => {
    const { statusCode, body } = describe(context, thrown);
    return answerJson(context, { ...body, ...facts }, statusCode, { ...headersOf(statusCode, thrown), ...headers });
  };
}

/** Logs an error and describes it: the one place where the status and the body of a failure are made. */
export function errorBodies(settings: Settings): DescribeError {
  return (context, thrown) => {
    const { method, url } = context.req;
    const requestId = context.get('requestId');
    const { statusCode, code, error, isHidden } = shownFailure(settings, thrown, { url, method, requestId });
    const shown = isHidden ? { error, code, requestId } : { error, code };
    return { statusCode, body: { success: false, ...shown } };
  };
}

/** Logs an error, with facts of its request, and gives what its caller sees of it. */
export function shownFailure(
  { log, isProduction }: Pick<Settings, 'log' | 'isProduction'>,
  thrown: unknown,
  facts: Readonly<Record<string, unknown>>,
): ShownFailure {
  const { statusCode, code, message } = failureOf(thrown);
  log.error(thrown, { ...facts, statusCode }, 'a request failed');
  const isHidden = isProduction && statusCode >= 500 && !isOwnText(thrown, message);
  return { statusCode, code, error: isHidden ? 'Internal server error' : log.redacted(message), isHidden };
}

/** A status that is no error's counts as 500: an answer that failed must not look like a success. */
function failureOf(thrown: unknown): Failure {
  if (isAgentError(thrown)) {
    const { statusCode, code, message } = thrown;
    return { statusCode: statusCode >= 400 && statusCode <= 599 ? Math.floor(statusCode) : 500, code, message };
  }
  const message = thrown instanceof Error ? messageOf(thrown) : 'Unknown error';
  return { statusCode: 500, code: 'INTERNAL_ERROR', message };
}

/** The registry's words for a tool that failed, which hold its name alone. */
function isOwnText(thrown: unknown, message: string): boolean {
  const { toolName } = Object(thrown) as { readonly toolName?: unknown }; // safe: only read
  return typeof toolName === 'string' && message === `Tool execution failed: ${toolName}`;
}

function headersOf(statusCode: number, thrown: unknown): Readonly<Record<string, string>> {
  const { retryAfter } = Object(thrown) as { readonly retryAfter?: unknown }; // safe: only read
  if (statusCode === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (statusCode === 408) return { 'X-Tool-Outcome': 'unknown' };
  if (statusCode !== 429 || typeof retryAfter !== 'number' || !Number.isFinite(retryAfter)) return {};
  return { 'Retry-After': String(Math.max(0, Math.ceil(retryAfter))) };
}
