import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel } from '@x/models';
import { type WireAnswer, wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { FAILED_CALLS } from './failed-answers.ts';
import { PROVIDERS, type Provider } from './features/providers.ts';

async function failureOf(provider: Provider, answer: WireAnswer): Promise<unknown> {
  const server = await wireServer(answer);
  try {
    const { signal } = new AbortController();
    const request = { instruction: '', messages: [userMessage('Hello')], tools: [], signal };
    const model = createModel(provider.config(server.url), provider.model);
    return await collect(model.stream(request)).catch((error: unknown) => error);
  } finally {
    await server.close();
  }
}

describe.each(PROVIDERS)('a failed call of $name', (provider) => {
  it.each(FAILED_CALLS[provider.name]!)('says its cause: %s', async (_what, status, body, code, retryable) => {
    const headers = { 'content-type': 'application/json', 'retry-after': '7', 'x-request-id': 'req-1' };

    const error = await failureOf(provider, { status, headers, body: JSON.stringify(body) });

    const facts = { code, statusCode: status, retryable, retryAfter: 7, requestId: 'req-1' };
    expect(error).toMatchObject({ name: 'ModelError', provider: provider.config('http://x').type, ...facts });
  });

  it('says that its stream was cut', async () => {
    const body = provider.stream('text').slice(0, 300);

    const [ended, broken] = [await failureOf(provider, { body }), await failureOf(provider, { body, cutAt: 200 })];

    for (const error of [ended, broken])
      expect(error).toMatchObject({ code: 'STREAM_CUT', statusCode: 502, retryable: true });
  });
});
