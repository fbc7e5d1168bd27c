import { textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { CONTRACT_SUBJECTS, CUTS_PER_STREAM } from '../../test/contract-subjects.ts';
import { modelContract, wireServer } from '../testing/index.ts';

describe('openaiChatModel', () => {
  it.each(modelContract({ ...CONTRACT_SUBJECTS.chat, cutsPerStream: CUTS_PER_STREAM }))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it.each(modelContract({ ...CONTRACT_SUBJECTS['chat with a final tool'], cutsPerStream: CUTS_PER_STREAM }))(
    '$name, with a final tool',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
    },
  );

  const json = { 'content-type': 'application/json' };
  const ask = ({ url }: { url: string }) => {
    const { signal } = new AbortController();
    const model = CONTRACT_SUBJECTS.chat.open(url, 'k');
    return collect(model.stream({ instruction: '', messages: [userMessage('Hi')], tools: [], signal }));
  };

  it('reads a reply that came as one object, from a server that knows no streams', async () => {
    const choice = { index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' };
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    const body = JSON.stringify({ object: 'chat.completion', choices: [choice], usage });
    await using server = await wireServer({ headers: json, body, chunkBytes: 10 });

    const { events, value } = await ask(server);

    expect(events).toEqual([{ type: 'content', delta: 'Hello.' }]);
    expect([textOf(value), value.stopReason, value.usage.totalTokens]).toEqual(['Hello.', 'end', 5]);
  });

  it.each([
    ['{"error":{"message":"no such model","code":404}}', { statusCode: 404, retryable: false }],
    ['{"hello":1}', { retryable: true }],
    ['"hello"', { name: 'ModelError' }],
  ])('fails typed for %s as one object', async (body, facts) => {
    await using server = await wireServer({ headers: json, body });

    await expect(ask(server)).rejects.toMatchObject({ name: 'ModelError', ...facts });
  });
});
