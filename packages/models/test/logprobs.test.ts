import type { ModelOptions } from '@x/core';
import { createModel, type ProviderConfig } from '@x/models';
import { describe, expect, it } from 'vitest';
import { exchange } from './features/exchange.ts';
import { LOGPROB_STREAMS, LOGPROBS } from './features/logprob-streams.ts';
import { PROVIDERS, type Provider } from './features/providers.ts';

const chat = PROVIDERS[0]!; // its first two
const responses = { ...PROVIDERS[1]!, model: 'gpt-4.1' };
const options: ModelOptions = { logprobs: 2 };
const withExtra = (provider: Provider, extraBody: object): Provider => ({
  ...provider,
  config: (url) => ({ ...provider.config(url), extraBody }) as ProviderConfig,
});

describe('probabilities of tokens', () => {
  it('are read from a reply in one object', async () => {
    const content = LOGPROBS.map(({ top, ...one }) => ({ ...one, top_logprobs: top }));
    const choice = { message: { content: 'Hello' }, finish_reason: 'stop', logprobs: { content } };
    const answer = { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ choices: [choice] }) };

    const { reply } = await exchange(chat, answer, { options });

    expect(reply.logprobs).toEqual(LOGPROBS);
  });

  it('are read from each of several pieces that are the same', async () => {
    const token = { token: 'ha', logprob: -0.5 };
    const choice = { index: 0, delta: { content: 'ha' }, finish_reason: null, logprobs: { content: [token] } };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    const chunks = [...Array.from({ length: 4 }, () => ({ choices: [choice] })), end];
    const result = { chosenCandidates: [{ token: 'ha', logProbability: -0.5 }] };
    const candidate = { content: { parts: [{ text: 'ha' }] }, logprobsResult: result };
    const last = { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] };
    const gemini = [...Array.from({ length: 4 }, () => ({ candidates: [candidate] })), last];
    const bodyOf = (all: readonly object[]) => all.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');

    const ofChat = await exchange(chat, { body: `${bodyOf(chunks)}data: [DONE]\n\n` }, { options });
    const ofGemini = await exchange(PROVIDERS.at(-1)!, { body: bodyOf(gemini) }, { options });

    for (const { reply, deltas } of [ofChat, ofGemini]) {
      expect(deltas.content).toBe('hahahaha');
      expect(reply.logprobs).toEqual([token, token, token, token]);
    }
  });

  it('are counted once when a service repeats its reply at the end', async () => {
    const content = LOGPROBS.map(({ top, ...one }) => ({ ...one, top_logprobs: top }));
    const whole = { choices: [{ message: { content: 'Hello' }, finish_reason: 'stop', logprobs: { content } }] };
    const body = LOGPROB_STREAMS['chat']!.replace('data: [DONE]', `data: ${JSON.stringify(whole)}\n\ndata: [DONE]`);

    expect((await exchange(chat, { body }, { options })).reply.logprobs).toEqual(LOGPROBS);
  });

  it('are read from the items when the last event of a response has none', async () => {
    const body = LOGPROB_STREAMS['responses']!.replace(/"output":\[.*?\],"usage"/, '"output":[],"usage"');

    const { reply } = await exchange(responses, { body }, { options });

    expect(body).toContain('"output":[]');
    expect(reply.logprobs).toEqual(LOGPROBS);
  });

  it.each<[string, object, readonly string[]]>([
    ['without others', {}, ['message.output_text.logprobs']],
    ['behind those of the host', { include: ['a'] }, ['a', 'message.output_text.logprobs']],
    ['once', { include: ['message.output_text.logprobs'] }, ['message.output_text.logprobs']],
    ['where the host wants nothing else', { include: [] }, ['message.output_text.logprobs']],
  ])('are asked of responses %s', async (_, extra, include) => {
    const answer = { body: LOGPROB_STREAMS['responses']! };

    const { body } = await exchange(withExtra(responses, extra), answer, { options: { logprobs: true } });

    expect(body['include']).toEqual(include);
    expect(body).not.toHaveProperty('top_logprobs');
  });

  it.each([
    [chat, { top_logprobs: 1 }],
    [responses, { top_logprobs: 1 }],
    [PROVIDERS.at(-1)!, { generationConfig: { responseLogprobs: true } }],
  ])('are not said twice: %#', (provider, extra) => {
    const model = createModel(withExtra(provider, extra).config('http://127.0.0.1:9'), provider.model);

    expect(() => model.checkOptions?.(options)).toThrow('say the same; leave one of them out');
  });
});
