import { inspect, isDeepStrictEqual } from 'node:util';
import * as sdk from '@x/agent-sdk';
import {
  AbortError,
  AgentError,
  AuthenticationError,
  AuthorizationError,
  isAgentError,
  MCPError,
  ModelError,
  OrganizationError,
  RateLimitError,
  SandboxUnavailableError,
  SessionError,
  TimeoutError,
  ToolDisabledError,
  ToolError,
  ToolExecutionError,
  ToolNotFoundError,
  ValidationError,
} from '@x/agent-sdk';
import { describe, expect, it } from 'vitest';

const SECRET = 'sk-secret';
const cause = Object.assign(new Error('401'), { headers: { authorization: `Bearer ${SECRET}` } });
const call = { toolName: 'weather', input: { apiKey: SECRET } };
/** One of each class, made as its package makes it. */
const made: Readonly<
  Record<string, { readonly error: AgentError; readonly code: string; readonly statusCode: number }>
> = {
  AgentError: { error: new AgentError('m', { code: 'C', cause }), code: 'C', statusCode: 500 },
  ValidationError: { error: new ValidationError('m', 'city'), code: 'VALIDATION_ERROR', statusCode: 400 },
  AuthenticationError: { error: new AuthenticationError('m'), code: 'AUTHENTICATION_ERROR', statusCode: 401 },
  AuthorizationError: { error: new AuthorizationError('m'), code: 'AUTHORIZATION_ERROR', statusCode: 403 },
  TimeoutError: { error: new TimeoutError('m', 10), code: 'TIMEOUT', statusCode: 408 },
  RateLimitError: { error: new RateLimitError('m', 7), code: 'RATE_LIMIT_EXCEEDED', statusCode: 429 },
  AbortError: { error: new AbortError(), code: 'ABORTED', statusCode: 499 },
  ToolError: { error: new ToolError('m', call), code: 'TOOL_ERROR', statusCode: 500 },
  ToolNotFoundError: { error: new ToolNotFoundError('m', call), code: 'TOOL_NOT_FOUND', statusCode: 404 },
  ToolDisabledError: { error: new ToolDisabledError('m', call), code: 'TOOL_DISABLED', statusCode: 403 },
  ToolExecutionError: {
    error: new ToolExecutionError('m', cause, call),
    code: 'TOOL_EXECUTION_ERROR',
    statusCode: 500,
  },
  ModelError: {
    error: new ModelError('m', { provider: 'openai-compatible', retryable: true, statusCode: 429, cause }),
    code: 'MODEL_ERROR',
    statusCode: 429,
  },
  OrganizationError: {
    error: new OrganizationError('m', { code: 'ROLE_NOT_FOUND', cause }),
    code: 'ROLE_NOT_FOUND',
    statusCode: 404,
  },
  SandboxUnavailableError: {
    error: new SandboxUnavailableError([{ driver: 'bubblewrap', reason: 'bwrap is not installed' }]),
    code: 'SANDBOX_UNAVAILABLE',
    statusCode: 503,
  },
  SessionError: {
    error: new SessionError('m', { code: 'SESSION_BUSY', cause }),
    code: 'SESSION_BUSY',
    statusCode: 409,
  },
};
const exported = Object.entries(sdk).filter(
  (entry): entry is [string, typeof AgentError] =>
    typeof entry[1] === 'function' && (entry[1] === AgentError || entry[1].prototype instanceof AgentError),
);

describe('the errors of the SDK', () => {
  it('are exported, every class of them', () => {
    const names = exported.map(([name]) => name).filter((name) => name !== 'MCPError');

    expect(names.toSorted()).toEqual(Object.keys(made).toSorted());
    expect(MCPError).toBe(AgentError);
  });

  it.each(Object.entries(made))(
    '%s has its name, its code and its status, and is one of the family',
    (name, { error, code, statusCode }) => {
      expect(error).toBeInstanceOf(Error);
      expect(error).toBeInstanceOf(AgentError);
      expect(isAgentError(error)).toBe(true);
      expect(error).toMatchObject({ name, code, statusCode });
      expect(Object.getPrototypeOf(error)).toBe(Object.fromEntries(exported)[name]?.prototype);
    },
  );

  it.each(Object.entries(made))(
    '%s shows no key, no header and no input where it is written or logged',
    (_name, { error }) => {
      const fields = Object.entries(error).filter(([name]) => name !== 'cause'); // what a logger copies
      Reflect.deleteProperty(error, 'cause'); // shown by `inspect` as the foreign error it is

      expect(JSON.stringify({ error, nested: [error] })).not.toContain(SECRET);
      expect(JSON.stringify(fields)).not.toContain(SECRET);
      expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
    },
  );

  it('keep the call and the cause for programs', () => {
    const error = new ToolExecutionError('m', cause, call);

    expect(error).toMatchObject(call);
    expect(error.originalError).toBe(cause);
  });

  it('hold no session, no run and no handler', () => {
    const isPlain = (value: unknown) =>
      value === undefined || isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);

    const held = Object.values(made).flatMap(({ error }) =>
      Object.entries(error).filter(([, value]) => !isPlain(value)),
    );

    expect(held).toEqual([]);
  });
});
