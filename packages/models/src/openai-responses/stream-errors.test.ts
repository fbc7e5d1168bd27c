import { describe, expect, it } from 'vitest';
import { facts, read, readText, wire } from '../../test/replies/openai-responses.ts';

function outcomeOf(bytes: Uint8Array): unknown {
  try {
    return facts(read([bytes]).message);
  } catch (error) {
    return error;
  }
}

describe('ResponsesReplyReader', () => {
  it.each([
    ['text-cut', true, 502],
    ['malformed', true, 502],
    ['failed', true, 500],
    ['failed-by-rate-limit', true, 429],
    ['failed-by-prompt', false, 400],
    ['error-event', true, 500],
    ['error-event-nested', false, 400],
    ['error-in-stream', true, 503],
  ])('%s is a ModelError, to be retried %s', (name, retryable, statusCode) => {
    expect(() => read([wire(name)])).toThrowError(
      expect.objectContaining({ name: 'ModelError', retryable, statusCode }),
    );
  });

  it('says what the service said of its error, and that the messages were too long', () => {
    expect(() => read([wire('error-event')])).toThrowError(
      expect.objectContaining({
        details: { code: 'server_error' },
        message: expect.stringContaining('Something broke.'),
      }),
    );
    expect(() => read([wire('error-event-nested')])).toThrowError(
      expect.objectContaining({ contextOverflow: true, details: expect.objectContaining({ param: 'input' }) }),
    );
  });

  it('fails when [DONE] comes before an item has ended', () => {
    const [head] = wire('call').toString('utf8').split('event: response.function_call_arguments.done');

    expect(() => readText(`${head}data: [DONE]\n\n`)).toThrowError(expect.objectContaining({ retryable: true }));
  });

  it.each([1, 7, 1_000])('reads an error that is no event, in pieces of %i bytes', (size) => {
    const error = { type: 'invalid_request_error', code: 'bad_tool', message: 'No.' };
    const body = JSON.stringify({ error }, undefined, 2);
    const [begun = ''] = wire('text').toString('utf8').split('event: response.completed');
    const failure = { statusCode: 400, details: { type: 'invalid_request_error', code: 'bad_tool' } };

    for (const text of [body, `${begun}${body}\n`]) {
      const bytes = Buffer.from(text);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(() => read(pieces)).toThrowError(expect.objectContaining(failure));
    }
  });

  it.each(['text', 'parallel-calls', 'reasoning-text-and-calls'])(
    'gives a whole message or an error to be retried, wherever %s is cut',
    (name) => {
      const bytes = wire(name);
      const whole = facts(read([bytes]).message);

      const outcomes = Array.from({ length: bytes.length + 1 }, (_, end) => outcomeOf(bytes.subarray(0, end)));

      const errors = outcomes.filter((outcome) => outcome instanceof Error);
      const messages = outcomes.filter((outcome) => !(outcome instanceof Error));
      expect(errors.length).toBeGreaterThan(messages.length);
      for (const error of errors) expect(error).toMatchObject({ name: 'ModelError', retryable: true });
      for (const message of messages) expect(message).toEqual(whole);
    },
  );
});
