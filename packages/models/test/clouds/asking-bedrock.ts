import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { defineTool, type ModelRequest, objectSchema, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { type BedrockOptions, bedrock } from '@x/models/bedrock';
import { wireServer } from '@x/models/testing';
import { eventStreamProxy } from './event-stream-proxy.ts';

export const NOVA = 'amazon.nova-pro-v1:0';
export const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: objectSchema({ at: { type: 'string', description: 'Where.' } }),
  execute: async () => '',
});

export type Answer = Parameters<typeof wireServer>[0];

/** A service of AWS that gives these answers, and a way to ask it. Closed by the caller. */
export async function asking(answer: Answer, form: 'chunk' | 'named', options: BedrockOptions = {}) {
  const server = await wireServer(answer);
  const proxy = await eventStreamProxy(server.url, form);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-key-4711' };
  const client = new BedrockRuntimeClient({ region: 'eu-west-1', endpoint: proxy.url, credentials, maxAttempts: 1 });
  const close = async () => {
    client.destroy();
    await proxy.close();
    await server.close();
  };
  const provider = bedrock({ client, ...options });
  const { signal } = new AbortController();
  const usual = { instruction: 'Be brief.', messages: [userMessage('Hi')], tools: [look], signal };
  const ask = async (name: string, more: Partial<ModelRequest> = {}) =>
    (await collect(provider.createModel(name).stream({ ...usual, ...more }))).value;
  return { ask, server, close };
}
