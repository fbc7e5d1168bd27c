import { describe, expect, it } from 'vitest';
import { saysContextOverflow } from './context-overflow.ts';

describe('saysContextOverflow', () => {
  it.each([
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens.",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    "You passed 1015 input tokens and requested 10 output tokens. However, the model's context length is only 1024 tokens.",
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    'prompt is too long: 213462 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000',
    'Input is too long for requested model.',
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Please reduce the length of the messages or completion.',
    'the request exceeds the available context size, try increasing it',
    'invalid params, context window exceeds limit',
    'Your request exceeded model token limit: 8192',
    'too many tokens: the prompt exceeds the limit',
  ])('knows the refusal: %s', (text) => {
    expect(saysContextOverflow({ status: 400, text })).toBe(true);
  });

  it.each([
    { status: 400, text: 'no', code: 'context_length_exceeded' },
    { status: 400, text: 'no', type: 'exceed_context_size_error' },
    { status: 413, text: 'Request exceeds the maximum size', type: 'request_too_large' },
    { status: 502, text: 'upstream said no', code: 'context_length_exceeded' },
    { status: 500, text: 'the request exceeds the available context size' },
  ])('goes by the code and the type, whatever the status: %j', (facts) => {
    expect(saysContextOverflow(facts)).toBe(true);
  });

  it.each([
    { status: 429, text: 'Rate limit reached: too many tokens per minute' },
    { status: 401, text: 'Your key may not use the maximum context length' },
    { status: 400, text: 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens' },
    { status: 400, text: 'Invalid value: messages[0].role', code: 'invalid_value', type: 'invalid_request_error' },
    { status: 503, text: 'The engine is overloaded' },
    { status: 400, text: '' },
  ])('leaves other refusals alone: %j', (facts) => {
    expect(saysContextOverflow(facts)).toBe(false);
  });
});
