import { readdirSync, readFileSync } from 'node:fs';
import { toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { AzureOpenAI, OpenAI } from 'openai';
import { describe, expect, it } from 'vitest';
import { factsOfOurChat, factsOfTheirChat, theirChat } from '../../test/oracle/openai-chat.ts';
import { createModel } from '../create-model.ts';
import { type WireServer, wireServer } from '../testing/index.ts';

const VERSION = '2024-10-21';
const FOLDER = new URL('../../test/wire/', import.meta.url);
const wire = (path: string) => readFileSync(new URL(`${path}.sse`, FOLDER));
const ours = async ({ url }: WireServer, apiVersion?: string) => {
  const model = createModel({ type: 'azure-openai', apiKey: 'k', baseUrl: url, apiVersion }, 'gpt-4o-mini');
  const { signal } = new AbortController();
  const messages = [userMessage('Hello')];
  return (await collect(model.stream({ instruction: 'Be brief.', messages, tools: [], signal }))).value;
};
const clientOf = ({ url }: WireServer, apiVersion?: string) => {
  const common = { apiKey: 'k', maxRetries: 0, logLevel: 'off' } as const;
  if (apiVersion !== undefined) {
    return new AzureOpenAI({ ...common, endpoint: url, apiVersion, deployment: 'gpt-4o-mini' });
  }
  const defaultHeaders = { 'api-key': 'k', Authorization: null };
  return new OpenAI({ ...common, baseURL: `${url}/openai/v1/`, defaultHeaders });
};
const theirs = (server: WireServer, apiVersion?: string) => theirChat(clientOf(server, apiVersion));

describe('the official client reads the same', () => {
  const names = ['text', 'call', 'parallel-calls', 'refusal'];

  it.each(names.flatMap((name) => [VERSION, undefined].map((version) => [name, version] as const)))(
    'from %s, with version %s',
    async (name, version) => {
      await using server = await wireServer({ body: wire(`azure-openai/${name}`), chunkBytes: 50 });

      const [mine, other] = [await ours(server, version), await theirs(server, version)];

      expect(factsOfOurChat(mine)).toEqual(factsOfTheirChat(other));
    },
  );

  it.each([VERSION, undefined])('sends to the same address with the same headers, with version %s', async (version) => {
    await using server = await wireServer({ body: wire('azure-openai/text') });

    await ours(server, version);
    await theirs(server, version);

    const [mine, other] = server.requests;
    expect([mine?.method, mine?.path]).toEqual([other?.method, other?.path]);
    for (const name of ['api-key', 'authorization', 'content-type', 'accept', 'user-agent'])
      expect(mine?.headers[name]).toBe(other?.headers[name]);
    expect(mine?.headers['api-key']).toBe('k');
  });
});

describe('chat completions through azure', () => {
  const names = readdirSync(new URL('openai-chat/', FOLDER)).flatMap((file) =>
    file.endsWith('.sse') ? [`openai-chat/${file.slice(0, -'.sse'.length)}`] : [],
  );

  it.each(names)('gives what they give directly: %s', async (name) => {
    await using server = await wireServer({ body: wire(name) });
    const signal = new AbortController().signal;
    const outcomeOf = async (config: Parameters<typeof createModel>[0]) => {
      const stream = createModel(config, 'm').stream({ instruction: '', messages: [], tools: [], signal });
      return collect(stream).then(
        ({ value }) => ({ ...factsOfOurChat(value), calls: toolUsesOf(value).map(({ input }) => input) }),
        ({ code, statusCode, retryable }: { code: string; statusCode: number; retryable: boolean }) => {
          return { code, statusCode, retryable };
        },
      );
    };

    const azure = await outcomeOf({ type: 'azure-openai', apiKey: 'k', baseUrl: server.url, apiVersion: VERSION });

    expect(azure).toEqual(await outcomeOf({ type: 'openai-compatible', apiKey: 'k', baseUrl: server.url }));
  });
});
