import { textOf, toolUsesOf, userMessage } from '@x/core';
import { expect } from 'vitest';
import { echo, exchange } from './exchange.ts';
import type { Feature } from './feature.ts';
import { LOGPROB_STREAMS, LOGPROBS } from './logprob-streams.ts';

const schema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
const outputFormat = { name: 'answer', schema, strict: true };

const LIMITS = {
  openai: [
    {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-tokens': '149984',
    },
    { requests: { limit: 60, remaining: 59 }, tokens: { remaining: 149_984 } },
  ],
  anthropic: [
    {
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-requests-reset': '2026-11-28T18:00:00Z',
      'anthropic-ratelimit-input-tokens-limit': '30000',
      'anthropic-ratelimit-output-tokens-remaining': '7000',
    },
    {
      requests: { remaining: 49, resetAt: '2026-11-28T18:00:00.000Z' },
      inputTokens: { limit: 30_000 },
      outputTokens: { remaining: 7000 },
    },
  ],
} as const;

/** What comes back. */
export const REPLY_FEATURES: readonly Feature[] = [
  {
    name: 'text, streamed',
    async check(provider) {
      const { deltas, reply } = await exchange(provider, { body: provider.stream('text'), chunkBytes: 40 });

      expect(textOf(reply)).not.toBe('');
      expect(deltas.content).toBe(textOf(reply));
      expect(reply.stopReason).toBe('end');
    },
  },
  {
    name: 'thinking, streamed',
    async check(provider) {
      const { deltas, reply } = await exchange(provider, { body: provider.stream('thinking') });

      const thoughts = reply.content.flatMap((block) => (block.type === 'thinking' ? block.text : []));
      expect(thoughts.join('')).not.toBe('');
      expect(deltas.thinking).toBe(thoughts.join(''));
    },
  },
  {
    name: 'tool calls, several in one reply',
    async check(provider) {
      const { reply } = await exchange(provider, { body: provider.stream('parallel-calls') }, { tools: [echo] });

      const calls = toolUsesOf(reply);
      expect(calls.map(({ name, input }) => [name, typeof input])).toEqual([
        ['echo', 'object'],
        ['echo', 'object'],
      ]);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
      expect(reply.stopReason).toBe('tool_use');
    },
  },
  {
    name: 'tool calls without arguments',
    async check(provider) {
      const { reply } = await exchange(provider, { body: provider.stream('call-without-arguments') });

      expect(toolUsesOf(reply).map(({ input }) => input)).toEqual([{}]);
    },
  },
  {
    name: "structured output, the service's own",
    async check(provider) {
      const { body, reply } = await exchange(provider, { body: provider.stream('structured') }, { outputFormat });

      expect(JSON.stringify(body)).toMatch(/"(?:json_schema|responseJsonSchema)"/);
      expect(JSON.stringify(body)).toContain('"answer":{"type":"number"');
      expect(textOf(reply)).not.toBe('');
    },
  },
  {
    name: 'structured output by a final tool, for models without',
    except: ['responses', 'azure-openai'],
    async check(provider) {
      const answer = { body: provider.stream('final-tool') };
      const options = { outputFormat, tools: [echo], model: provider.modelWithoutFormat };
      const { body, reply, deltas } = await exchange(provider, answer, options);

      expect(JSON.stringify(body['tools'])).toContain('"name":"answer"');
      expect(JSON.parse(textOf(reply))).toEqual(expect.any(Object));
      expect(deltas.content).toBe(textOf(reply));
      expect([toolUsesOf(reply), reply.stopReason]).toEqual([[], 'end']);
    },
  },
  {
    name: 'stop reasons: length, refusal',
    async check(provider) {
      for (const name of ['length', 'refusal'] as const) {
        const stream = name === 'refusal' && provider.name === 'gemini' ? 'safety' : name;
        expect((await exchange(provider, { body: provider.stream(stream) })).reply.stopReason).toBe(name);
      }
    },
  },
  {
    name: 'pictures that the model makes',
    except: ['chat', 'azure-openai', 'anthropic'],
    async check(provider) {
      const { reply } = await exchange(provider, { body: provider.stream('image'), chunkBytes: 40 });

      const pictures = reply.content.filter(({ type }) => type === 'image');
      expect(pictures).toEqual([expect.objectContaining({ mediaType: 'image/png', data: 'aGk=' })]);
      const said = await exchange(
        provider,
        { body: provider.stream('text') },
        { messages: [userMessage('Draw.'), reply, userMessage('Bluer.')] },
      );
      expect(JSON.stringify(said.body)).toMatch(/"(?:result|data)":"aGk="/);
    },
  },
  {
    name: 'usage with cached tokens',
    async check(provider) {
      const { usage } = (await exchange(provider, { body: provider.stream('cached') })).reply;

      expect(usage.cacheReadTokens).toBeGreaterThan(0);
      expect(usage.inputTokens).toBeGreaterThanOrEqual(usage.cacheReadTokens ?? 0);
      expect(usage.totalTokens).toBe(usage.inputTokens + usage.outputTokens);
      expect(usage.estimated).toBeUndefined();
    },
  },
  {
    name: 'usage with tokens written to the cache',
    except: ['responses', 'azure-openai', 'gemini'],
    async check(provider) {
      const { usage } = (await exchange(provider, { body: provider.stream('cache-written') })).reply;

      expect(usage.cacheWriteTokens).toBeGreaterThan(0);
      expect(usage.inputTokens).toBeGreaterThanOrEqual(usage.cacheWriteTokens ?? 0);
    },
  },
  {
    name: 'usage with reasoning tokens',
    async check(provider) {
      const { usage } = (await exchange(provider, { body: provider.stream('thinking') })).reply;

      expect(usage.reasoningTokens).toBeGreaterThan(0);
      expect(usage.outputTokens).toBeGreaterThanOrEqual(usage.reasoningTokens ?? 0);
    },
  },
  {
    name: 'limits of the key, from the headers of the answer',
    except: ['gemini'],
    async check(provider) {
      const [headers, limits] = LIMITS[provider.name === 'anthropic' ? 'anthropic' : 'openai'];
      const answer = { headers: { 'content-type': 'text/event-stream', ...headers }, body: provider.stream('text') };

      expect((await exchange(provider, answer)).reply.response?.limits).toEqual(limits);
      const plain = await exchange(provider, { body: provider.stream('text') });
      expect(plain.reply.response ?? {}).not.toHaveProperty('limits');
    },
  },
  {
    name: 'probabilities of tokens',
    except: ['anthropic'],
    async check(provider) {
      const model = provider.name === 'responses' ? 'gpt-4.1' : provider.model;
      const body = LOGPROB_STREAMS[provider.name]!; // of each that has them

      const { reply, deltas } = await exchange(provider, { body, chunkBytes: 30 }, { model, options: { logprobs: 2 } });

      expect([textOf(reply), deltas.content]).toEqual(['Hello', 'Hello']);
      expect(reply.logprobs).toEqual(LOGPROBS);
      expect((await exchange(provider, { body }, { model })).reply).not.toHaveProperty('logprobs');
      const next = [userMessage('Say hi.'), reply, userMessage('And now?')];
      const { sent } = await exchange(provider, { body }, { model, messages: next });
      expect(sent.body).toContain('Hello');
      expect(sent.body).not.toMatch(/"Good"|-2\.5/);
    },
  },
];
