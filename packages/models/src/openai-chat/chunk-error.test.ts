import { describe, expect, it } from 'vitest';
import { errorInChunk, type WireChunk } from './wire-chunk.ts';

const context = { provider: 'openai-compatible', apiKey: 'key-4711' };
const errorIn = (data: string, event = '') => errorInChunk(JSON.parse(data) as WireChunk, event, context);

describe('errorInChunk', () => {
  it.each([
    ['an object', '{"error":{"message":"Overloaded.","code":503}}', 503, 'Overloaded.'],
    ['an object with a type', '{"error":{"message":"Slow down.","type":"rate_limit_error"}}', 429, 'Slow down.'],
    ['a string', '{"error":"Overloaded."}', 502, 'Overloaded.'],
    ['an object beside choices', '{"choices":[{}],"error":{"message":"No room.","code":502}}', 502, 'No room.'],
    ['vLLM', '{"object":"error","message":"Bad request.","type":"BadRequestError","code":400}', 400, 'Bad request.'],
    ['FastAPI', '{"detail":[{"loc":["body"],"msg":"field required"}]}', 502, 'field required'],
    ['a proxy', '{"message":"no healthy upstream","status":503}', 502, 'no healthy upstream'],
    ['MiniMax', '{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}', 502, 'rate limit'],
    ['Groq', '{"choices":[],"x_groq":{"id":"r","error":"over capacity"}}', 502, 'over capacity'],
  ])('finds the error of %s', (_, data, statusCode, text) => {
    const error = errorIn(data);

    expect(error).toMatchObject({ name: 'ModelError', statusCode });
    expect(error?.message).toContain(text);
  });

  it('takes whatever an event of that name holds for an error', () => {
    expect(errorIn('{"choices":[]}', 'error')).toMatchObject({ name: 'ModelError', retryable: true });
  });

  it.each([
    '{"choices":[]}',
    '{"choices":[],"error":null,"message":"so"}',
    '{"error":"","usage":{}}',
    '{"base_resp":{"status_code":0,"status_msg":""}}',
    '{}',
  ])('finds none in %s', (data) => {
    expect(errorIn(data)).toBeUndefined();
  });
});
