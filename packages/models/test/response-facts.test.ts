import { textOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig } from '@x/models';
import { wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { askScripted, finish, ScriptedAiSdkModel, said } from './ai-sdk-scripted.ts';

const KEY = 'sk-a-secret-of-the-host';
const chat = (url: string): ProviderConfig => ({ type: 'openai-compatible', baseUrl: `${url}/v1` });
const SERVICES = {
  chat,
  responses: (url) => ({ type: 'openai-compatible', baseUrl: `${url}/v1`, api: 'responses' }),
  anthropic: (url) => ({ type: 'anthropic', baseUrl: url }),
  gemini: (url) => ({ type: 'gemini', baseUrl: url }),
} satisfies Record<string, (url: string) => ProviderConfig>;
type Service = keyof typeof SERVICES;

/** A reply of two pieces, in the form of each service, with these facts about it; none without them. */
const STREAMS: Readonly<Record<Service, (facts?: { id: string; model: string; tier: string }) => readonly object[]>> = {
  chat(facts) {
    const head = facts && { id: facts.id, model: facts.model, service_tier: facts.tier };
    const piece = (content: string) => ({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    const begin = { id: '', model: '', choices: [] }; // as Azure does
    return [begin, piece('Well'), piece('.'), { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }];
  },
  responses(facts) {
    const item = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] };
    const head = facts && { id: facts.id, model: facts.model, service_tier: facts.tier, status: 'completed' };
    return [{ type: 'response.completed', response: { ...head, output: [item] } }];
  },
  anthropic(facts) {
    const head = facts && { id: facts.id, model: facts.model, usage: { input_tokens: 1, service_tier: facts.tier } };
    return [
      { type: 'message_start', message: { content: [], ...head } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Well.' } },
      { type: 'content_block_stop', index: 0 },
      ...(facts ? [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }] : []),
      { type: 'message_stop' },
    ];
  },
  gemini(facts) {
    const head = facts && { responseId: facts.id, modelVersion: facts.model };
    const candidates = (text: string, more = {}) => [{ content: { parts: [{ text }] }, ...more }];
    return [{ ...head, candidates: candidates('Well') }, { candidates: candidates('.', { finishReason: 'STOP' }) }];
  },
};
const STOPS: Readonly<Record<Service, string>> = {
  chat: 'stop',
  responses: 'completed',
  anthropic: 'end_turn',
  gemini: 'STOP',
};

async function replyOf(service: Service, events: readonly object[], headers: Record<string, string> = {}) {
  const named = (event: object) => ('type' in event ? `event: ${String(event.type)}\n` : '');
  const body = events.map((event) => `${named(event)}data: ${JSON.stringify(event)}\n\n`).join('');
  await using server = await wireServer({ headers: { 'content-type': 'text/event-stream', ...headers }, body });
  const model = createModel({ ...SERVICES[service](server.url), apiKey: KEY }, 'the-model');
  const { signal } = new AbortController();
  const { value } = await collect(model.stream({ instruction: '', messages: [userMessage('x')], tools: [], signal }));
  return value;
}
const services = Object.keys(SERVICES) as Service[]; // safe: its own keys

describe('what a service says of its reply', () => {
  it.each(services)(
    '%s: its id, the model that has answered, its stop reason, its tier and the id of the request',
    async (service) => {
      const events = STREAMS[service]({ id: 'r-1', model: 'the-model-2026-01-01', tier: 'priority' });

      const reply = await replyOf(service, events, { 'x-request-id': 'req-1' });

      expect([reply.model, reply.stopReason, textOf(reply)]).toEqual(['the-model', 'end', 'Well.']);
      expect(reply.response).toEqual({
        id: 'r-1',
        model: 'the-model-2026-01-01',
        stopReason: STOPS[service],
        requestId: 'req-1',
        ...(service === 'gemini' ? {} : { serviceTier: 'priority' }),
      });
    },
  );

  it.each(services)(
    '%s: is absent where it says nothing, but for the word with which a reply ends',
    async (service) => {
      const { response } = await replyOf(service, STREAMS[service]());

      const saysIt = service === 'chat' || service === 'gemini';
      expect(response).toEqual(saysIt ? { stopReason: STOPS[service] } : undefined);
    },
  );

  it.each(services)('%s: is text without secrets, of a bounded length', async (service) => {
    const facts = { id: `r ${KEY}`, model: 'm'.repeat(10_000), tier: 'fast' };
    const { response } = await replyOf(service, STREAMS[service](facts));

    expect(response).toMatchObject({ id: 'r ***' });
    expect(response?.model?.length).toBeLessThanOrEqual(500);
    const other = { id: 7, model: null, tier: ['x'] } as unknown as typeof facts; // what no service should send
    expect((await replyOf(service, STREAMS[service](other))).response).toEqual({ stopReason: STOPS[service] });
  });

  it('comes from models of the AI SDK, which know no tier', async () => {
    const { value } = await askScripted(
      new ScriptedAiSdkModel(
        [
          { type: 'response-metadata', id: 'r-1', modelId: 'the-model-2026-01-01', timestamp: new Date() },
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Well.' },
          { type: 'text-end', id: 't' },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'END' }, usage: {} },
        ],
        { version: 'v4', provider: 'acme.chat' },
      ),
      {},
    );

    expect(value.response).toEqual({ id: 'r-1', model: 'the-model-2026-01-01', stopReason: 'END' });
  });

  it.each([
    ['as its provider has them', { 'x-ratelimit-remaining-tokens': '7' }, { tokens: { remaining: 7 } }],
    ['in any letters', { 'X-RateLimit-Remaining-Requests': '8' }, { requests: { remaining: 8 } }],
    ['but no others', { 'content-type': 'x', 'x-ratelimit-remaining-tokens': 7 as never }, undefined],
  ])('has the limits of an answer to a model of the AI SDK, %s', async (_, headers, limits) => {
    const model = new ScriptedAiSdkModel([said('Well.'), finish()]);
    const { specificationVersion, provider, modelId, supportedUrls } = model;
    const { value } = await askScripted({
      specificationVersion,
      provider,
      modelId,
      supportedUrls,
      doStream: async (options) => ({ ...(await model.doStream(options)), response: { headers } }),
    });

    expect(value.response?.limits).toEqual(limits);
  });
});
