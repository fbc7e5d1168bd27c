import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel } from '@x/models';
import { type WireAnswer, wireServer } from '@x/models/testing';
import { expect } from 'vitest';
import type { Feature } from './feature.ts';
import type { Provider } from './providers.ts';

const json = { 'content-type': 'application/json' };

async function failure(provider: Provider, answer: WireAnswer): Promise<unknown> {
  const server = await wireServer(answer);
  try {
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hello')], tools: [], signal };
    return await collect(createModel(provider.config(server.url), provider.model).stream(request)).catch(
      (error: unknown) => error,
    );
  } finally {
    await server.close();
  }
}

/** What goes wrong. */
export const FAILURE_FEATURES: readonly Feature[] = [
  {
    name: 'errors: status, retryable, retryAfter, requestId',
    async check(provider) {
      const headers = { ...json, 'retry-after': '7', 'x-request-id': 'req-1' };
      const body = JSON.stringify({ error: { message: 'Slow down', type: 'rate_limit_error' } });

      expect(await failure(provider, { status: 429, headers, body })).toMatchObject({
        name: 'ModelError',
        provider: provider.config('http://x').type,
        statusCode: 429,
        retryable: true,
        retryAfter: 7,
        requestId: 'req-1',
      });
      expect(await failure(provider, { status: 400, headers: json, body: '{}' })).toMatchObject({ retryable: false });
    },
  },
  {
    name: 'errors in the middle of a stream',
    async check(provider) {
      const error = await failure(provider, { body: provider.stream('error-in-stream') });

      expect(error).toMatchObject({ name: 'ModelError', retryable: true, message: expect.stringContaining('error') });
    },
  },
  {
    name: 'a cut connection is an error, to be retried',
    async check(provider) {
      const body = provider.stream('call');

      const error = await failure(provider, { body, cutAt: Math.floor(Buffer.byteLength(body) / 3) });

      expect(error).toMatchObject({ name: 'ModelError', retryable: true });
    },
  },
  {
    name: 'cancelling closes the socket',
    async check(provider) {
      const server = await wireServer({ body: provider.stream('text').slice(0, 400), hangs: true });
      try {
        const controller = new AbortController();
        const { signal } = controller;
        const request = { instruction: '', messages: [userMessage('Hello')], tools: [], signal };
        const reply = collect(createModel(provider.config(server.url), provider.model).stream(request));
        while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
        controller.abort();

        await expect(reply).rejects.toMatchObject({ code: 'ABORTED' });
        expect(await server.requests[0]?.settled).toBe('closed');
      } finally {
        await server.close();
      }
    },
  },
];
