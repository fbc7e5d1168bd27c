import { test } from '@fast-check/vitest';
import { type Message, type ModelRequest, textOf, toolUsesOf, userMessage } from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { type WireServer, wireServer } from '@x/models/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aiSdkModelAt } from './ai-sdk-subjects.ts';
import { histories } from './strict/histories.ts';
import { refusalOf, STRICT, type Wire } from './strict/rules.ts';
import { anthropicReply, chat, chunk, look, response, said } from './talk.ts';
import { OPENAI_WORDS, weather, weatherFake } from './weather-fake.ts';

const SERVICES = [
  ['openai chat', 'openai', 'gpt-4o-mini', chat(chunk({ content: 'Fine.' }, 'stop'))],
  ['openai responses', 'responses', 'gpt-5-mini', response(said('msg_1', 'Fine.'))],
  [
    'anthropic',
    'anthropic',
    'claude-opus-5-5',
    anthropicReply(
      [
        [
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Fine.' },
        ],
      ],
      'end_turn',
    ),
  ],
  ['openai chat, version 3', 'openai', 'gpt-4o-mini', chat(chunk({ content: 'Fine.' }, 'stop'))],
  ['openai chat, version 2', 'openai', 'gpt-4o-mini', chat(chunk({ content: 'Fine.' }, 'stop'))],
] as const;

describe.each(SERVICES)(
  '%s of the AI SDK, at a service that refuses what it is documented to',
  (name, rules, model, answer) => {
    let server: WireServer;
    beforeAll(async () => {
      server = await wireServer(({ body }) => {
        const message = refusalOf(STRICT[rules], JSON.parse(body) as Wire); // safe: what a provider writes is an object
        if (message === undefined) return answer;
        const headers = { 'content-type': 'application/json' };
        return { status: 400, headers, body: JSON.stringify({ error: { message } }) };
      });
    });
    afterAll(() => server.close());

    test.prop({ messages: histories({ provider: 'ai-sdk/acme', model }) }, { numRuns: 100, seed: 91 })(
      'takes every history of a session',
      async ({ messages }) => {
        const { signal } = new AbortController();
        const request = { instruction: 'Be brief.', messages, tools: [look], signal };
        const { value } = await collect(aiSdkModelAt(name, server.url).stream(request));

        expect(textOf(value)).toBe('Fine.');
      },
    );
  },
);

describe.each(['openai chat', 'openai chat, version 3', 'openai chat, version 2'] as const)(
  '%s of the AI SDK, against an independent fake',
  (name) => {
    const mock = weatherFake(OPENAI_WORDS);
    beforeAll(() => mock.start());
    afterAll(() => mock.stop());
    const ask = (messages: readonly Message[], more: Partial<ModelRequest> = {}) => {
      const { signal } = new AbortController();
      const request = { instruction: 'Be brief.', messages, tools: [weather], signal, ...more };
      return collect(aiSdkModelAt(name, mock.url).stream(request));
    };

    it('takes a call, sends its result, gets the answer', async () => {
      const question = userMessage('forecast');
      const { value } = await ask([question]);

      const { value: answer } = await ask([question, value, toolMessage(value, [{ output: 'sunny', isError: false }])]);

      expect(toolUsesOf(value)).toEqual([{ type: 'tool_use', id: 'call_9', name: 'weather', input: { city: 'Oslo' } }]);
      expect(textOf(answer)).toBe('It is sunny in Oslo.');
    });

    it.each([
      ['slow down', { statusCode: 429, retryable: true, retryAfter: 3 }],
      ['broken', { statusCode: 500, retryable: true }],
      ['hang up', { statusCode: 502, retryable: true }],
    ])('%s: fails with %j', async (text, facts) => {
      await expect(ask([userMessage(text)])).rejects.toMatchObject({ name: 'ModelError', ...facts });
    });
  },
);
