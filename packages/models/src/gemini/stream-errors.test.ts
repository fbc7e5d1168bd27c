import { describe, expect, it } from 'vitest';
import { read, sse, wire } from '../../test/replies/gemini.ts';

describe('GeminiReplyReader', () => {
  it.each([
    ['cut', true, 502],
    ['error-in-stream', true, 503],
    ['error-in-list', false, 400],
    ['error-as-bare-json', true, 429],
    ['error-as-bare-list', true, 429],
    ['error-over-lines', true, 429],
    ['error-event', false, 400],
    ['malformed', true, 502],
    ['malformed-call', true, 502],
    ['other-and-empty', true, 502],
    ['call-without-name', true, 502],
  ])('%s is a ModelError, to be retried %s', (name, retryable, statusCode) => {
    const error = expect.objectContaining({ name: 'ModelError', retryable, statusCode });
    const bytes = wire(name);

    expect(() => read([bytes])).toThrowError(error);
    expect(() => read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toThrowError(error);
  });

  it('finds a bare error behind other bare JSON, in pieces of any size', () => {
    const bytes = Buffer.from(`{"note":"} \\\\"}\n[1]\n${wire('error-as-bare-json').toString()}`);

    for (const size of [1, 7, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(() => read(pieces)).toThrowError(expect.objectContaining({ statusCode: 429 }));
    }
  });

  it('tells what a broken call was, and how long to wait for a quota', () => {
    expect(() => read([wire('malformed-call')])).toThrowError(
      expect.objectContaining({
        message: expect.stringContaining('Malformed function call: print(default_api.echo(text='),
        details: { code: 'MALFORMED_FUNCTION_CALL' },
      }),
    );
    expect(() => read([wire('error-as-bare-json')])).toThrowError(expect.objectContaining({ retryAfter: 3.5 }));
  });

  it('fails when an error follows the end, as the service has not meant it', () => {
    expect(() => read([Buffer.concat([wire('text'), wire('error-in-stream')])])).toThrowError(
      expect.objectContaining({ statusCode: 503 }),
    );
  });

  it('has an error to be retried where the service gave up by itself', () => {
    const error = { code: 499, message: 'The operation was cancelled.', status: 'CANCELLED' };

    expect(() => read([sse({ error })])).toThrowError(
      expect.objectContaining({ retryable: true, details: expect.objectContaining({ type: 'CANCELLED' }) }),
    );
    expect(() => read([sse({ error: { ...error, code: 400, status: 'INVALID_ARGUMENT' } })])).toThrowError(
      expect.objectContaining({ retryable: false }),
    );
  });
});
