import { readFileSync } from 'node:fs';
import { LLMock } from '@copilotkit/aimock';
import type { Model } from '@x/core';
import { createModel } from '@x/models';
import { type ContractStreams, modelContract } from '@x/models/testing';
import { describe, expect, it } from 'vitest';

interface Format {
  readonly name: string;
  readonly path: string;
  readonly body: (text: string) => object;
  readonly open: (url: string, apiKey: string) => Model;
}
const FORMATS: readonly Format[] = [
  {
    name: 'openai chat',
    path: '/v1/chat/completions',
    body: (content) => ({
      model: 'gpt-4o-mini',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content }],
    }),
    open: (url, apiKey) => createModel({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }, 'gpt-4o-mini'),
  },
  {
    name: 'openai responses',
    path: '/v1/responses',
    body: (content) => ({ model: 'gpt-5', stream: true, input: [{ role: 'user', content }] }),
    open: (url, apiKey) =>
      createModel({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1`, api: 'responses' }, 'gpt-5'),
  },
  {
    name: 'azure openai',
    path: '/openai/deployments/gpt-4o-mini/chat/completions?api-version=2024-10-21',
    body: (content) => ({
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content }],
    }),
    open: (url, apiKey) =>
      createModel({ type: 'azure-openai', apiKey, baseUrl: url, apiVersion: '2024-10-21' }, 'gpt-4o-mini'),
  },
  {
    name: 'anthropic',
    path: '/v1/messages',
    body: (content) => ({ model: 'claude', max_tokens: 100, stream: true, messages: [{ role: 'user', content }] }),
    open: (url, apiKey) => createModel({ type: 'anthropic', apiKey, baseUrl: url }, 'claude-sonnet-5-5'),
  },
  {
    name: 'gemini',
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    open: (url, apiKey) => createModel({ type: 'gemini', apiKey, baseUrl: url }, 'gemini-2.5-flash'),
  },
];
/** A reply comes in several events. */
const PIECES = { chunkSize: 4 };
/** Cuts are tried at every byte elsewhere. */
const CUTS = 20;

const call = (id: string, text: string) => ({ id, name: 'echo', arguments: JSON.stringify({ text }) });
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const streams = new Map<string, ContractStreams>();
const mock = new LLMock({ port: 0 })
  .onMessage('text', { content: 'Good morning to you, and to all the others.', usage }, PIECES)
  .onMessage('think', { content: 'So be it, then.', reasoning: 'Let me think.', usage }, PIECES)
  .onMessage('one call', { toolCalls: [call('call_1', 'a')], usage })
  .onMessage('two calls', { toolCalls: [call('call_1', 'a'), call('call_2', 'b')], usage })
  .onMessage('length', { content: 'cut here', finishReason: 'length', usage })
  .onMessage('refusal', { content: 'No.', finishReason: 'content_filter', usage });
await mock.start(); // cases are made of what it says, so it must speak before there are any
for (const format of FORMATS) streams.set(format.name, await spokenIn(format));
await mock.stop();

async function spokenIn({ name, path, body }: Format): Promise<ContractStreams> {
  const said = async (text: string) => {
    const headers = { 'content-type': 'application/json', 'api-key': 'k' };
    const answer = await fetch(mock.url + path, { method: 'POST', headers, body: JSON.stringify(body(text)) });
    return await answer.text();
  };
  return {
    text: await said('text'),
    thinking: await said('think'),
    call: await said('one call'),
    parallelCalls: await said('two calls'),
    length: await said('length'),
    // what it says of a refused response no service says
    refusal: name === 'openai responses' ? wire('openai-responses/refusal') : await said('refusal'),
  };
}

function wire(name: string): string {
  return readFileSync(new URL(`wire/${name}.sse`, import.meta.url), 'utf8');
}

describe.each(FORMATS)('$name, in the words of an independent fake', ({ name, open }) => {
  const cases = modelContract({ open, streams: streams.get(name)!, cutsPerStream: CUTS }); // all were spoken

  it.each(cases)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
