import { AbortError, isAgentError, isContextOverflow, isRetryable, retryAfterMs } from '@x/core';
import { describe, expect, it } from 'vitest';
import { errorOfAnswer, errorOfEvent, errorOfFailure, ModelError } from './model-error.ts';

const context = { provider: 'openai-compatible', apiKey: 'sk-secret-4711' };
const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  errorOfAnswer({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, context);

describe('ModelError', () => {
  it('is an AgentError with the facts programs need', () => {
    const error = new ModelError('gone', {
      provider: 'p',
      retryable: true,
      statusCode: 503,
      retryAfter: 2,
      requestId: 'r1',
    });

    expect(error).toMatchObject({
      name: 'ModelError',
      code: 'MODEL_ERROR',
      statusCode: 503,
      provider: 'p',
      requestId: 'r1',
    });
    expect(isAgentError(error)).toBe(true);
    expect(isRetryable(error)).toBe(true);
    expect(retryAfterMs(error)).toBe(2000);
  });

  it('has the status of its code when the service gave none', () => {
    expect(new ModelError('lost', { provider: 'p', retryable: true }).statusCode).toBe(502);
    expect(new ModelError('full', { provider: 'p', retryable: true, code: 'RATE_LIMIT_EXCEEDED' }).statusCode).toBe(
      429,
    );
    expect(new ModelError('long', { provider: 'p', retryable: false, contextOverflow: true })).toMatchObject({
      code: 'CONTEXT_OVERFLOW',
      statusCode: 400,
    });
  });
});

describe('errorOfAnswer', () => {
  it.each([400, 401, 403, 404, 413, 422, 302])('status %i is final', (status) => {
    expect(answer(status)).toMatchObject({ statusCode: status, retryable: false });
  });

  it.each([408, 409, 429, 500, 502, 503, 504, 529])('status %i may be tried again', (status) => {
    expect(answer(status)).toMatchObject({ statusCode: status, retryable: true });
  });

  it('takes the advice of the service', () => {
    expect(answer(500, {}, { 'x-should-retry': 'false' }).retryable).toBe(false);
    expect(answer(400, {}, { 'x-should-retry': 'true' }).retryable).toBe(true);
  });

  it('does not ask to try again when the quota is used up', () => {
    expect(answer(429, { error: { message: 'pay', type: 'insufficient_quota' } }).retryable).toBe(false);
  });

  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 0.25],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads the wait of %j as %s seconds', (headers, seconds) => {
    expect(answer(429, {}, headers as Record<string, string>).retryAfter).toBe(seconds);
  });

  it.each([
    [{ error: { message: 'too long', code: 'context_length_exceeded' } }, 'too long'],
    [[{ error: { message: 'from a list', code: 400 } }], 'from a list'],
    [{ error: 'just text' }, 'just text'],
    [{ message: 'bare' }, 'bare'],
    [{ detail: [{ msg: 'field required' }] }, 'field required'],
    ['<html>bad gateway</html>', 'bad gateway'],
  ])('tells what %j says', (body, text) => {
    expect(answer(400, body).message).toContain(text);
  });

  it('is stamped when the messages do not fit the window, and then final, whatever the service advises', () => {
    const body = { error: { message: 'prompt is too long: 213462 tokens > 200000 maximum' } };

    expect(isContextOverflow(answer(400, body))).toBe(true);
    expect(answer(500, body, { 'x-should-retry': 'true' })).toMatchObject({ contextOverflow: true, retryable: false });
    expect(isContextOverflow(answer(400, { error: { message: 'no such model' } }))).toBe(false);
  });

  it('keeps type and code of the service, and its request id', () => {
    const error = answer(
      400,
      { error: { message: 'm', type: 't', code: 'c', param: 'p' } },
      { 'x-request-id': 'req_1' },
    );

    expect(error).toMatchObject({ details: { type: 't', code: 'c', param: 'p' }, requestId: 'req_1' });
  });

  it('never shows the key, not even when the service repeats it', () => {
    const error = answer(
      401,
      { error: { message: 'Incorrect API key: sk-secret-4711' } },
      { authorization: 'sk-secret-4711' },
    );

    expect(error.message).toContain('Incorrect API key: ***');
    expect(JSON.stringify(error)).not.toContain('sk-secret');
  });
});

describe('a key of a few letters', () => {
  it.each(['x', 'none', 'ollama'])('such as %s is left in the words of an error', (apiKey) => {
    const text = `This model's maximum context length is 8192 tokens, says ${apiKey}`;

    const body = JSON.stringify({ error: { message: text } });
    const error = errorOfAnswer({ status: 400, headers: {}, body }, { provider: 'p', apiKey });

    expect(error.message).toContain(text);
  });
});

describe('errorOfEvent', () => {
  it.each([
    [{ message: 'overloaded', type: 'server_error' }, 500, true],
    [{ message: 'no', code: 429 }, 429, true],
    [{ message: 'no', code: 403 }, 403, false],
    [{ message: 'bad', type: 'invalid_request_error' }, 400, false],
    [{ message: 'later', status: 'RESOURCE_EXHAUSTED' }, 429, true],
    [{ message: 'pay', code: 'insufficient_quota' }, 429, false],
    [{ message: 'odd', type: 'toString' }, 502, true],
    ['text', 502, true],
  ])('%j has status %i', (error, statusCode, retryable) => {
    expect(errorOfEvent(error, context)).toMatchObject({ statusCode, retryable });
  });

  it.each([null, undefined, 7])('says that no reason was given for %j', (error) => {
    expect(errorOfEvent(error, context)).toMatchObject({
      message: 'openai-compatible ended the stream with an error: no reason given',
      statusCode: 502,
    });
  });
});

describe('errorOfEvent about the window', () => {
  it('is stamped and final', () => {
    const error = errorOfEvent({ message: 'no', code: 'context_length_exceeded' }, context);

    expect(isContextOverflow(error)).toBe(true);
    expect(isRetryable(error)).toBe(false);
  });
});

describe('errorOfFailure', () => {
  it('passes the errors of the SDK on', () => {
    const error = new AbortError();

    expect(errorOfFailure(error, context)).toBe(error);
  });

  it('turns anything after an abort into an AbortError', () => {
    expect(errorOfFailure(new Error('socket'), context, AbortSignal.abort())).toMatchObject({ code: 'ABORTED' });
  });

  it.each([
    ['ECONNRESET', true],
    ['ECONNREFUSED', true],
    ['UND_ERR_SOCKET', true],
    ['UND_ERR_BODY_TIMEOUT', true],
    ['ENOTFOUND', false],
    ['CERT_HAS_EXPIRED', false],
  ])('%s: try again %s', (code, retryable) => {
    const cause = Object.assign(new Error('what happened'), { code });
    const error = errorOfFailure(new TypeError('fetch failed', { cause }), context);

    expect(error).toMatchObject({ code: 'MODEL_ERROR', statusCode: 502, retryable });
    expect(error.message).toContain('what happened');
  });
});

describe('errorOfFailure, given the error of a vendor’s client', () => {
  const body = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' }, request_id: 'r-body' };
  const headers = new Headers({ 'Retry-After': '7', 'Request-Id': 'r-header' });
  const thrown = (facts: object) => errorOfFailure(Object.assign(new Error('what the client says'), facts), context);

  it('reads the answer in it, of which the client keeps the whole body or the error alone', () => {
    const expected = {
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'openai-compatible answered 429: slow down',
      statusCode: 429,
      retryable: true,
      retryAfter: 7,
      requestId: 'r-header',
      details: { type: 'rate_limit_error' },
    };

    expect(thrown({ status: 429, headers, error: body })).toMatchObject(expected);
    expect(thrown({ status: 429, headers, error: body.error })).toMatchObject(expected);
  });

  it('takes the id of the request out of the body where no headers were kept', () => {
    expect(thrown({ status: 429, error: body })).toMatchObject({ requestId: 'r-body' });
    expect(thrown({ status: 429, headers: { 'request-id': 'r' }, error: body })).toMatchObject({ requestId: 'r-body' });
    expect(thrown({ status: 429, error: { ...body, request_id: 7 } })).toMatchObject({ requestId: undefined });
  });

  it('takes the status alone where there is no error in it', () => {
    expect(thrown({ status: 400 })).toMatchObject({ message: expect.stringMatching(/answered 400/), retryable: false });
    expect(thrown({ status: 503, error: 'busy' })).toMatchObject({
      message: 'openai-compatible answered 503: busy',
      retryable: true,
    });
  });

  it('keeps nothing of its text, which is not ours to clean', () => {
    expect(thrown({ status: 401, error: { message: 'no' }, key: context.apiKey })).not.toHaveProperty('cause');
  });
});

describe('errorOfFailure, given what is no error', () => {
  it.each([
    ['torn', 'torn'],
    [null, 'Unknown error'],
    [{ status: '429' }, 'Unknown error'],
  ])('names the connection as what failed for %j', (failure, reason) => {
    const error = errorOfFailure(failure, context);

    expect(error).toMatchObject({ code: 'MODEL_ERROR', statusCode: 502, cause: failure });
    expect(error.message).toBe(`The connection to openai-compatible failed: ${reason}`);
  });

  it('passes on the error of the SDK that a client has wrapped', () => {
    const cause = new AbortError();

    expect(errorOfFailure(new Error('wrapped', { cause }), context)).toBe(cause);
  });
});

describe('what must never be repeated', () => {
  it('is cleaned out of the facts and the id too, and at the end of an excerpt', () => {
    const { apiKey } = context;
    const body = JSON.stringify({ error: { message: 'no', type: `t ${apiKey}`, code: apiKey, param: `p${apiKey}` } });
    const inFacts = errorOfAnswer({ status: 400, headers: { 'x-request-id': `r-${apiKey}` }, body }, context);
    const atTheEnd = errorOfAnswer({ status: 500, headers: {}, body: `${'x'.repeat(495)}${apiKey}` }, context);
    const inEvent = errorOfEvent({ message: apiKey, code: apiKey }, context, apiKey);

    for (const error of [inFacts, atTheEnd, inEvent]) {
      expect(`${error.message}${JSON.stringify(error)}`).not.toContain(apiKey.slice(0, 5));
    }
  });
});

describe('the wait that an answer asks for', () => {
  it.each([
    [{ 'retry-after-ms': '1500' }, 1.5],
    [{ 'retry-after-ms': '', 'retry-after': '7' }, 7],
    [{ 'retry-after-ms': 'Infinity', 'retry-after': '7' }, 7],
    [{ 'retry-after-ms': '1e9' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
  ])('in %j is %s seconds', (headers, seconds) => {
    expect(errorOfAnswer({ status: 429, headers, body: '' }, context).retryAfter).toBe(seconds);
  });
});
