import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  AbortError,
  AgentError,
  AuthenticationError,
  AuthorizationError,
  isAgentError,
  MCPError,
  messageOf,
  RateLimitError,
  SessionError,
  type SessionErrorCode,
  TimeoutError,
  ToolDisabledError,
  ToolError,
  ToolExecutionError,
  ToolNotFoundError,
  toAgentError,
  ValidationError,
} from './errors.ts';
import * as core from './index.ts';

const family = [
  { id: 'X01', type: AgentError, error: new AgentError('m', 'SOME_CODE'), code: 'SOME_CODE', statusCode: 500 },
  { id: 'X02', type: ToolNotFoundError, error: new ToolNotFoundError('m'), code: 'TOOL_NOT_FOUND', statusCode: 404 },
  { id: 'X03', type: ToolDisabledError, error: new ToolDisabledError('m'), code: 'TOOL_DISABLED', statusCode: 403 },
  {
    id: 'X04',
    type: ToolExecutionError,
    error: new ToolExecutionError('m'),
    code: 'TOOL_EXECUTION_ERROR',
    statusCode: 500,
  },
  { id: 'X05', type: ValidationError, error: new ValidationError('m'), code: 'VALIDATION_ERROR', statusCode: 400 },
  { id: 'X06', type: TimeoutError, error: new TimeoutError('m'), code: 'TIMEOUT', statusCode: 408 },
  {
    id: 'X07',
    type: AuthenticationError,
    error: new AuthenticationError('m'),
    code: 'AUTHENTICATION_ERROR',
    statusCode: 401,
  },
  {
    id: 'X08',
    type: AuthorizationError,
    error: new AuthorizationError('m'),
    code: 'AUTHORIZATION_ERROR',
    statusCode: 403,
  },
  { id: 'X09', type: RateLimitError, error: new RateLimitError('m'), code: 'RATE_LIMIT_EXCEEDED', statusCode: 429 },
  { id: 'X12', type: AbortError, error: new AbortError('m'), code: 'ABORTED', statusCode: 499 },
  {
    id: 'X13',
    type: SessionError,
    error: new SessionError('m', { code: 'SESSION_CLOSED' }),
    code: 'SESSION_CLOSED',
    statusCode: 410,
  },
  { id: 'X14', type: ToolError, error: new ToolError('m'), code: 'TOOL_ERROR', statusCode: 500 },
];

describe.each(family)('$id $type.name', ({ type, error, code, statusCode }) => {
  it('has its code, its status, its message and a literal name', () => {
    expect(error).toMatchObject({ code, statusCode, message: 'm', name: type.name });
    expect(Object.hasOwn(error, 'name')).toBe(true);
    expect(error.stack).toContain('errors.test');
  });

  it('is an Error, an AgentError and its own class, and is exported (X20)', () => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toBeInstanceOf(type);
    expect(Object.values(core)).toContain(type);
    expect(isAgentError(error)).toBe(true);
  });

  it('is written as JSON without stack and cause (X19)', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({ name: type.name, message: 'm', code, statusCode });
  });
});

describe('AgentError', () => {
  it('is also named MCPError and takes message, code and status (X01)', () => {
    expect(MCPError).toBe(AgentError);
    expect(new MCPError('m', 'C')).toMatchObject({ code: 'C', statusCode: 500 });
    expect(new MCPError('m', 'C', 418)).toMatchObject({ code: 'C', statusCode: 418 });
  });

  it('takes everything as options (X01)', () => {
    const cause = new Error('below');

    const error = new AgentError('m', { code: 'C', statusCode: 409, cause, retryable: true, details: { a: 1 } });

    expect(error).toMatchObject({ code: 'C', statusCode: 409, retryable: true, details: { a: 1 } });
    expect(error.cause).toBe(cause);
  });

  it('has no own retryable, details or cause when none was given (X01)', () => {
    const error = new AgentError('m', { code: 'C' });

    expect(Object.hasOwn(error, 'retryable')).toBe(false);
    expect(Object.hasOwn(error, 'details')).toBe(false);
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });

  it('keeps its name when a minifier renames the class (X10)', () => {
    const Renamed = class a extends ValidationError {};

    expect(new Renamed('m').name).toBe('ValidationError');
  });

  it('shows no secret of its cause in its JSON (X19)', () => {
    const cause = Object.assign(new Error('401'), { headers: { authorization: 'Bearer sk-secret' } });

    const error = new ToolExecutionError('m', cause, { toolName: 't', input: { apiKey: 'sk-secret' } });

    expect(JSON.stringify(error)).not.toContain('sk-secret');
    expect(JSON.stringify({ error })).not.toContain('sk-secret');
  });

  it('has no property that holds more than plain data (X19)', () => {
    const error = new SessionError('m', { code: 'SESSION_BUSY', details: { sessionId: 's' } });

    expect(Object.keys(error).sort()).toEqual(['code', 'details', 'name', 'statusCode']);
    expect(inspect(error)).not.toContain('x/error');
  });
});

describe('the extra fields', () => {
  it('ValidationError has field and details when given (X05)', () => {
    expect(new ValidationError('m', 'f', [1])).toMatchObject({ field: 'f', details: [1] });
    expect(Object.hasOwn(new ValidationError('m'), 'field')).toBe(false);
  });

  it('TimeoutError and RateLimitError have theirs (X06, X09)', () => {
    expect(new TimeoutError('m', 250).timeoutMs).toBe(250);
    expect(new RateLimitError('m', 7).retryAfter).toBe(7);
  });

  it('ToolExecutionError has originalError, which is cause (X04)', () => {
    const original = new Error('below');

    const error = new ToolExecutionError('m', original);

    expect(error.originalError).toBe(original);
    expect(error.cause).toBe(original);
    expect(new ToolExecutionError('m').originalError).toBeUndefined();
  });

  it.each([
    new ToolNotFoundError('m', { toolName: 't', input: 1 }),
    new ToolDisabledError('m', { toolName: 't', input: 1 }),
    new ToolExecutionError('m', undefined, { toolName: 't', input: 1 }),
  ])('$name is a ToolError with toolName and input (X14)', (error) => {
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ toolName: 't', input: 1 });
  });

  it.each([new ToolNotFoundError('m'), new ToolDisabledError('m'), new ToolExecutionError('m'), new ToolError('m')])(
    '$name has an empty toolName without a call (X14)',
    (error) => {
      expect(error.toolName).toBe('');
      expect(error.input).toBeUndefined();
    },
  );

  it.each<[SessionErrorCode, number]>([
    ['SESSION_CLOSED', 410],
    ['SESSION_BUSY', 409],
    ['SESSION_NOT_FOUND', 404],
    ['SESSION_EXISTS', 409],
    ['SESSION_CONFLICT', 409],
    ['SESSION_FENCED', 409],
    ['LOG_DAMAGED', 500],
    ['LOG_TOO_NEW', 500],
    ['NOTHING_TO_STREAM', 409],
    ['ENTRY_TOO_LARGE', 413],
    ['MESSAGE_NOT_FOUND', 404],
    ['INVALID_FORK_POINT', 400],
    ['MAX_TURNS', 409],
    ['COST_LIMIT', 409],
    ['OUTPUT_INVALID', 502],
    ['TOOL_LOOP', 500],
  ])('SessionError %s has status %d (X13)', (code, statusCode) => {
    expect(new SessionError('m', { code })).toMatchObject({ code, statusCode });
  });
});

describe('isAgentError', () => {
  it('recognises an error of another copy of the package (X11)', () => {
    const foreign = Object.defineProperty(new Error('m'), Symbol.for('@x/error'), { value: true });

    expect(foreign).not.toBeInstanceOf(AgentError);
    expect(isAgentError(foreign)).toBe(true);
  });

  it.each([new Error('m'), { code: 'TIMEOUT' }, null, undefined, 'text', 0])('answers no for %s (X11)', (value) => {
    expect(isAgentError(value)).toBe(false);
  });
});

describe('toAgentError', () => {
  it('gives an own error back as it is', () => {
    const error = new TimeoutError('m');

    expect(toAgentError(error)).toBe(error);
  });

  it.each([new Error('m'), 'm'])('wraps %s as INTERNAL_ERROR with the cause', (thrown) => {
    expect(toAgentError(thrown)).toMatchObject({
      code: 'INTERNAL_ERROR',
      statusCode: 500,
      message: 'm',
      cause: thrown,
    });
  });
});

describe('messageOf', () => {
  it.each([
    [new Error('m'), 'm'],
    [new TypeError(''), 'TypeError'],
    ['text', 'text'],
    ['', 'Unknown error'],
    [null, 'Unknown error'],
    [undefined, 'Unknown error'],
    [42, 'Unknown error'],
  ])('reads %s as %s', (thrown, text) => {
    expect(messageOf(thrown)).toBe(text);
  });

  it('has a text for what cannot be read, which is no error of the SDK', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    expect(messageOf(proxy)).toBe('An error that cannot be read');
    expect(isAgentError(proxy)).toBe(false);
  });
});
