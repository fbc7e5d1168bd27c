import { AbortError, AgentError, RateLimitError, TimeoutError, ToolExecutionError, ValidationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { isContextOverflow, isRetryable, markRetried, retryAfterMs, wasRetried } from './retry.ts';

const foreign = (facts: object) => Object.assign(new Error('m'), facts);
const inside = (cause: unknown, depth: number): Error =>
  depth === 0 ? (cause as Error) : new Error('m', { cause: inside(cause, depth - 1) });

function circle(facts: object): Error {
  const one = foreign(facts);
  one.cause = new Error('two', { cause: one });
  return one;
}

describe('isRetryable', () => {
  it.each([
    'ECONNRESET',
    'ETIMEDOUT',
    'ECONNREFUSED',
    'EAI_AGAIN',
    'EPIPE',
    'UND_ERR_SOCKET',
    'UND_ERR_HEADERS_TIMEOUT',
  ])('says yes to the network code %s (E05)', (code) => {
    expect(isRetryable(foreign({ code }))).toBe(true);
  });

  it.each([408, 429, 500, 502, 503, 504])('says yes to the foreign HTTP status %d (E05)', (status) => {
    expect(isRetryable(foreign({ status }))).toBe(true);
    expect(isRetryable(foreign({ statusCode: status }))).toBe(true);
  });

  it('reads the status of the answer that an HTTP client hangs on its error (E05)', () => {
    expect(isRetryable(foreign({ response: { status: 503 } }))).toBe(true);
    expect(isRetryable(foreign({ response: { statusCode: 429 } }))).toBe(true);
    expect(isRetryable(foreign({ response: { status: 404 } }))).toBe(false);
    expect(isRetryable(foreign({ response: null, status: '503' }))).toBe(false);
  });

  it.each([200, 400, 401, 403, 404, 409, 422, 501])('says no to the foreign HTTP status %d (E05)', (status) => {
    expect(isRetryable(foreign({ status }))).toBe(false);
  });

  it('says yes to a rate limit and to a stamp, no to a stamp that forbids (E05)', () => {
    expect(isRetryable(new RateLimitError('m'))).toBe(true);
    expect(isRetryable(new AgentError('m', { code: 'C', retryable: true }))).toBe(true);
    expect(isRetryable(foreign({ code: 'ECONNRESET', retryable: false }))).toBe(false);
  });

  it.each([
    new ValidationError('m'),
    new AbortError(),
    new TimeoutError('m'),
    new DOMException('m', 'AbortError'),
    new AgentError('m', { code: 'C', statusCode: 503 }),
    new Error('m'),
    foreign({ code: 'ENOENT' }),
  ])('says no to $name $code (E06, E17)', (error) => {
    expect(isRetryable(error)).toBe(false);
  });

  it.each([null, undefined, 'ECONNRESET', 42, Symbol('s')])('says no to the thrown value %s (E12)', (thrown) => {
    expect(isRetryable(thrown)).toBe(false);
  });

  it.each([new ValidationError('m'), new AbortError(), new TimeoutError('m')])(
    'says no to a $name whatever is stamped on or around it (E17)',
    (never) => {
      expect(isRetryable(Object.assign(never, { retryable: true }))).toBe(false);
      expect(isRetryable(new AgentError('m', { code: 'C', retryable: true, cause: never }))).toBe(false);
    },
  );

  it('says no to an error that cannot be read (E12)', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    expect(isRetryable(proxy)).toBe(false);
    expect(retryAfterMs(proxy)).toBeUndefined();
    expect(
      isRetryable({
        get code() {
          return expect.unreachable();
        },
      }),
    ).toBe(false);
  });

  it('finds the reason in the cause of our own wrapper (E16)', () => {
    expect(isRetryable(new ToolExecutionError('m', foreign({ code: 'ECONNRESET' })))).toBe(true);
  });

  it('looks at ten errors of a chain and no further (E16)', () => {
    expect(isRetryable(inside(foreign({ code: 'ECONNRESET' }), 9))).toBe(true);
    expect(isRetryable(inside(foreign({ code: 'ECONNRESET' }), 10))).toBe(false);
  });

  it('ends in a circle of causes (E16)', () => {
    expect(isRetryable(circle({}))).toBe(false);
    expect(isRetryable(circle({ code: 'EPIPE' }))).toBe(true);
  });

  it.each([new ValidationError('m'), new AbortError(), new TimeoutError('m')])(
    'never retries what hides a $name below a network code (E17)',
    (never) => {
      expect(isRetryable(Object.assign(new Error('m', { cause: never }), { code: 'ECONNRESET' }))).toBe(false);
    },
  );
});

describe('retryAfterMs', () => {
  it('reads retryAfter in seconds, also of a cause (E15)', () => {
    expect(retryAfterMs(new RateLimitError('m', 3))).toBe(3_000);
    expect(retryAfterMs(new ToolExecutionError('m', new RateLimitError('m', 1.5)))).toBe(1_500);
  });

  it('reads the header of a fetch response and of a plain record (E15)', () => {
    expect(retryAfterMs(foreign({ headers: new Headers({ 'Retry-After': '2' }) }))).toBe(2_000);
    expect(retryAfterMs(foreign({ headers: { 'retry-after': '2' } }))).toBe(2_000);
    expect(retryAfterMs(foreign({ headers: { 'Retry-After': 2 } }))).toBe(2_000);
    expect(retryAfterMs(foreign({ response: { headers: new Headers({ 'retry-after': '2' }) } }))).toBe(2_000);
  });

  it('reads a date, never as a negative time (E15)', () => {
    const headers = { 'retry-after': 'Fri, 21 Nov 2025 10:00:10 GMT' };

    expect(retryAfterMs(foreign({ headers }), Date.parse('2025-11-21T10:00:00Z'))).toBe(10_000);
    expect(retryAfterMs(foreign({ headers }), Date.parse('2025-11-21T11:00:00Z'))).toBe(0);
  });

  it.each(['Friday, 21-Nov-25 10:00:10 GMT', 'Fri Nov 21 10:00:10 2025'])(
    'reads the older form of a date: %s (E15)',
    (date) => {
      const now = Date.parse('2025-11-21T10:00:00Z');

      expect(retryAfterMs(foreign({ headers: { 'retry-after': date } }), now)).toBe(10_000);
    },
  );

  it.each([
    new Error('m'),
    new RateLimitError('m'),
    foreign({ retryAfter: -1 }),
    foreign({ headers: { 'retry-after': 'soon' } }),
    foreign({ headers: { 'retry-after': 'some day' } }),
    foreign({ headers: { 'retry-after': '' } }),
    foreign({ headers: { 'retry-after': '-5' } }),
    foreign({ headers: { 'retry-after': '0x10' } }),
    foreign({ headers: null }),
    circle({}),
    null,
    'text',
  ])('knows nothing about %s', (error) => {
    expect(retryAfterMs(error)).toBeUndefined();
  });
});

describe('isContextOverflow', () => {
  it('goes by the stamp, on the error or a cause of it', () => {
    expect(isContextOverflow(foreign({ contextOverflow: true }))).toBe(true);
    expect(isContextOverflow(inside(foreign({ contextOverflow: true }), 3))).toBe(true);
    expect(isContextOverflow(circle({ contextOverflow: true }))).toBe(true);
  });

  it.each([null, undefined, 'context_length_exceeded', new Error('m'), foreign({ contextOverflow: 'yes' })])(
    'says no to %s',
    (thrown) => {
      expect(isContextOverflow(thrown)).toBe(false);
    },
  );
});

describe('markRetried', () => {
  it('is seen by wasRetried, through our own wrappers too', () => {
    const error = foreign({ code: 'ECONNRESET' });
    expect(wasRetried(error)).toBe(false);

    markRetried(error);

    expect(wasRetried(error)).toBe(true);
    expect(wasRetried(new ToolExecutionError('m', error))).toBe(true);
    expect(isRetryable(error)).toBe(true);
  });

  it.each([null, undefined, 'text', 1, Object.freeze(new Error('frozen'))])('takes any thrown value: %s', (thrown) => {
    markRetried(thrown);

    expect(wasRetried(thrown)).toBe(false);
  });
});
