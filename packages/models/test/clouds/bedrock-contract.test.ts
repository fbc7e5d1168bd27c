import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { Model, ModelRequest, ModelStream } from '@x/core';
import { bedrock } from '@x/models/bedrock';
import { modelContract } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { CONTRACT_SUBJECTS } from '../contract-subjects.ts';
import { CONVERSE_STREAMS } from './converse-streams.ts';
import { eventStreamProxy } from './event-stream-proxy.ts';

const OVERFLOW = JSON.stringify({ error: { message: 'Input is too long for requested model.' } });
const SUBJECTS = [
  {
    name: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    form: 'chunk',
    streams: CONTRACT_SUBJECTS['vertex claude'].streams,
  },
  { name: 'amazon.nova-pro-v1:0', form: 'named', streams: CONVERSE_STREAMS },
] as const;
/** The client reads ahead of its reader, and writes the messages of Converse before the instruction: its cache goes by marks, not by bytes. */
const UNKEPT = /^lets the service wait/;
const UNKEPT_BY_CONVERSE = /^begins every request/;
/** Bytes are read by the official client: few cuts show what becomes of an end. */
const CUTS_PER_STREAM = 6;

/** The model behind a translation of the answers into those of AWS; both live as long as a stream of it. */
function opened(name: string, form: 'chunk' | 'named', url: string, key: string): Model {
  const inner = (endpoint: string) => {
    const token = async () => ({ token: key });
    const client = new BedrockRuntimeClient({
      region: 'eu-west-1',
      endpoint,
      token,
      authSchemePreference: ['httpBearerAuth'],
      maxAttempts: 1,
    });
    return { client, model: bedrock({ client }).createModel(name) };
  };
  const { model, client } = inner('http://127.0.0.1:9');
  client.destroy();
  async function* stream(request: ModelRequest): ModelStream {
    const proxy = await eventStreamProxy(url, form);
    const own = inner(proxy.url);
    try {
      return yield* own.model.stream(request);
    } finally {
      own.client.destroy();
      await proxy.close();
    }
  }
  return { ...model, stream };
}

describe.each(SUBJECTS)('bedrock: $name', ({ name, form, streams }) => {
  const cases = modelContract({
    open: (url, key) => opened(name, form, url, key),
    streams,
    contextOverflow: OVERFLOW,
    cutsPerStream: CUTS_PER_STREAM,
  });

  const isUnkept = (title: string) => UNKEPT.test(title) || (form === 'named' && UNKEPT_BY_CONVERSE.test(title));

  it.each(cases.filter((one) => !isUnkept(one.name)))('keeps the promise: $name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });

  it.each(cases.filter((one) => isUnkept(one.name)))('does not keep, by its client: $name', async ({ run }) => {
    await expect(run()).rejects.toThrow(/was read before|differs/);
  });
});
