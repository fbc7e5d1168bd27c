import { AgentError, SessionError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { failureFacts } from './failure-facts.ts';

describe('failureFacts', () => {
  it('says what a service has said', () => {
    const error = new AgentError('slow down', { code: 'RATE_LIMIT_EXCEEDED', statusCode: 429, retryable: true });
    const facts = { retryAfter: 7, requestId: 'r1', provider: 'openai' };

    expect(failureFacts(Object.assign(error, facts))).toEqual({
      message: 'slow down',
      code: 'RATE_LIMIT_EXCEEDED',
      status: 429,
      retryable: true,
      ...facts,
    });
  });

  it('leaves out what is not known, and what is not of its kind', () => {
    const error = Object.assign(new SessionError('closed', { code: 'SESSION_CLOSED' }), { requestId: 7 });

    expect(failureFacts(error)).toEqual({ message: 'closed', code: 'SESSION_CLOSED', status: 410, retryable: false });
    expect(failureFacts(new TypeError('odd'))).toEqual({ message: 'odd', code: 'INTERNAL_ERROR', retryable: false });
    expect(failureFacts(undefined)).toMatchObject({ code: 'INTERNAL_ERROR', retryable: false });
  });
});
