import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { chatFormat } from '../openai-chat/to-request.ts';
import { wireServer } from '../testing/index.ts';
import { ModelError } from './model-error.ts';
import type { ReplyReader } from './reply-reader.ts';
import { speakOver } from './speak-over.ts';

function readerThat(push: () => never): ReplyReader {
  return { done: false, push, end: () => [], message: push };
}

describe('speakOver', () => {
  it.each([
    ['its own errors as they are', new ModelError('no', { provider: 'p', retryable: true }), { retryable: true }],
    ['all others as a reply that cannot be read', new TypeError('x is not a function'), { retryable: false }],
  ])('throws of a reader %s, and closes the connection', async (_, thrown, facts) => {
    await using server = await wireServer({ body: 'data: {}\n\n', hangs: true });
    const { signal } = new AbortController();
    const speak = speakOver({
      config: { type: 'openai-compatible', apiKey: 'k' },
      name: 'm',
      format: chatFormat('m'),
      build: async () => ({ url: server.url, headers: {} }),
      reader: () =>
        readerThat(() => {
          throw thrown;
        }),
    });

    const reply = collect(speak({ instruction: '', messages: [userMessage('Hi')], tools: [], signal }));

    await expect(reply).rejects.toMatchObject({ name: 'ModelError', ...facts });
    expect(await server.requests[0]?.settled).toBe('closed');
  });
});
