import { printedError } from './printed-error.ts';

const MARK = Symbol.for('@x/error');

/** Options of an `AgentError`. */
export interface AgentErrorOptions {
  readonly code: string;
  /** HTTP status; 500 when absent. */
  readonly statusCode?: number;
  readonly cause?: unknown;
  /** True when a retry may help; absent means unknown. */
  readonly retryable?: boolean;
  /** More facts for programs; must be plain data. */
  readonly details?: unknown;
}

/**
 * The base of every error the SDK throws; programs match `code`. When printed, only name, message and stack of a foreign cause are shown. A
 * subclass sets its name by `override readonly name = 'OwnError'`.
 */
export class AgentError extends Error {
  override readonly name: string = 'AgentError';
  readonly code: string;
  readonly statusCode: number;
  declare readonly retryable?: boolean;
  declare readonly details?: unknown;

  static {
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: AgentError, depth: number): string {
        return depth < 0 ? `[${this.name}]` : printedError(this, isAgentError);
      },
      configurable: true,
      writable: true,
    });
  }

  constructor(message: string, code: string, statusCode?: number);
  constructor(message: string, options: AgentErrorOptions);
  constructor(message: string, options: string | AgentErrorOptions, statusCode = 500) {
    const full: AgentErrorOptions = typeof options === 'string' ? { code: options, statusCode } : options;
    super(message, full.cause === undefined ? undefined : { cause: full.cause });
    this.code = full.code;
    this.statusCode = full.statusCode ?? 500;
    if (full.retryable !== undefined) this.retryable = full.retryable;
    if (full.details !== undefined) this.details = full.details;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Fields for a log or an answer: never the cause, never the stack. */
  toJSON(): { name: string; message: string; code: string; statusCode: number; details?: unknown } {
    const { name, message, code, statusCode, details } = this;
    return { name, message, code, statusCode, ...(details === undefined ? {} : { details }) };
  }
}

/** The specified name of the base error. */
export const MCPError: typeof AgentError = AgentError;
export type MCPError = AgentError;

/** Invalid input; `field` names the first invalid part. */
export class ValidationError extends AgentError {
  override readonly name = 'ValidationError';
  declare readonly field?: string;

  constructor(message: string, field?: string, details?: unknown) {
    super(message, { code: 'VALIDATION_ERROR', statusCode: 400, ...(details === undefined ? {} : { details }) });
    if (field !== undefined) this.field = field;
  }
}

/** An unknown caller: a missing or wrong key or token. */
export class AuthenticationError extends AgentError {
  override readonly name = 'AuthenticationError';

  constructor(message: string) {
    super(message, 'AUTHENTICATION_ERROR', 401);
  }
}

/** A known caller without permission. */
export class AuthorizationError extends AgentError {
  override readonly name = 'AuthorizationError';

  constructor(message: string) {
    super(message, 'AUTHORIZATION_ERROR', 403);
  }
}

/** Work that did not end in time; its effect is not known. */
export class TimeoutError extends AgentError {
  override readonly name = 'TimeoutError';
  declare readonly timeoutMs?: number;

  constructor(message: string, timeoutMs?: number) {
    super(message, 'TIMEOUT', 408);
    if (timeoutMs !== undefined) this.timeoutMs = timeoutMs;
  }
}

/** Too many requests; `retryAfter` says when to try again, if known. */
export class RateLimitError extends AgentError {
  override readonly name = 'RateLimitError';
  /** Seconds. */
  declare readonly retryAfter?: number;

  constructor(message: string, retryAfter?: number) {
    super(message, 'RATE_LIMIT_EXCEEDED', 429);
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
  }
}

/** Work that was ended by its signal; never retried. */
export class AbortError extends AgentError {
  override readonly name = 'AbortError';

  constructor(message = 'The operation was aborted') {
    super(message, 'ABORTED', 499);
  }
}

/** The call that an error belongs to. */
export interface ToolErrorCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** A failure around one tool; `toolName` is empty for an unknown tool. */
export class ToolError extends AgentError {
  override readonly name: string = 'ToolError';
  readonly toolName: string;
  /** Not enumerable: loggers and `console.log` leave it out. */
  declare readonly input: unknown;

  constructor(message: string, call?: ToolErrorCall, options: AgentErrorOptions = { code: 'TOOL_ERROR' }) {
    super(message, options);
    this.toolName = call?.toolName ?? '';
    Object.defineProperty(this, 'input', { value: call?.input });
  }
}

/** No tool of that name is registered. */
export class ToolNotFoundError extends ToolError {
  override readonly name = 'ToolNotFoundError';

  constructor(message: string, call?: ToolErrorCall) {
    super(message, call, { code: 'TOOL_NOT_FOUND', statusCode: 404 });
  }
}

/** The tool, or one that it depends on, is disabled. */
export class ToolDisabledError extends ToolError {
  override readonly name = 'ToolDisabledError';

  constructor(message: string, call?: ToolErrorCall) {
    super(message, call, { code: 'TOOL_DISABLED', statusCode: 403 });
  }
}

/** The tool itself failed; its error is `originalError` and `cause`. */
export class ToolExecutionError extends ToolError {
  override readonly name = 'ToolExecutionError';

  constructor(message: string, originalError?: unknown, call?: ToolErrorCall) {
    super(message, call, { code: 'TOOL_EXECUTION_ERROR', cause: originalError });
  }

  /** The error of the tool; the same as `cause`. */
  get originalError(): unknown {
    return this.cause;
  }
}

const SESSION_STATUS = {
  SESSION_CLOSED: 410,
  SESSION_BUSY: 409,
  SESSION_NOT_FOUND: 404,
  SESSION_EXISTS: 409,
  SESSION_CONFLICT: 409,
  SESSION_FENCED: 409,
  LOG_DAMAGED: 500,
  LOG_TOO_NEW: 500,
  NOTHING_TO_STREAM: 409,
  ENTRY_TOO_LARGE: 413,
  MESSAGE_NOT_FOUND: 404,
  IDEMPOTENCY_CONFLICT: 409,
  INVALID_FORK_POINT: 400,
  INVALID_CURSOR: 400,
  QUESTION_NOT_OPEN: 409,
  QUESTION_ANSWERED: 409,
  QUESTION_EXPIRED: 410,
  RUN_WAITING: 409,
  MAX_TURNS: 409,
  COST_LIMIT: 409,
  OUTPUT_INVALID: 502,
  TOOL_LOOP: 500,
  RUN_CRASHES: 500,
} as const;

/** The codes of `SessionError`, each with its HTTP status. */
export type SessionErrorCode = keyof typeof SESSION_STATUS;

/** Misuse of a session, or a session that cannot go on; see `code`. */
export class SessionError extends AgentError {
  override readonly name = 'SessionError';
  declare readonly code: SessionErrorCode;

  constructor(message: string, options: { code: SessionErrorCode; cause?: unknown; details?: unknown }) {
    super(message, { statusCode: SESSION_STATUS[options.code], ...options });
  }
}

/** True for every error of this SDK, also one created by another copy of it. */
export function isAgentError(value: unknown): value is AgentError {
  try {
    return typeof value === 'object' && value !== null && (value as { [MARK]?: unknown })[MARK] === true;
  } catch {
    return false; // a revoked proxy
  }
}

/** The error itself, or any thrown value inside an `AgentError` with code `INTERNAL_ERROR`. */
export function toAgentError(value: unknown): AgentError {
  if (isAgentError(value)) return value;
  return new AgentError(messageOf(value), { code: 'INTERNAL_ERROR', cause: value });
}

/** A readable text for any thrown value. */
export function messageOf(value: unknown): string {
  try {
    if (value instanceof Error) return value.message || value.name;
  } catch {
    return 'An error that cannot be read'; // a getter that throws, a revoked proxy
  }
  return typeof value === 'string' && value !== '' ? value : 'Unknown error';
}
