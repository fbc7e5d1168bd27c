import { readFileSync } from 'node:fs';
import type { Model } from '@x/core';
import { createModel } from '../src/create-model.ts';
import type { ContractStreams, ModelContractOptions } from '../src/testing/index.ts';
import { vertex } from '../src/vertex/index.ts';
import type { ProviderConfig } from '../src/wire/provider-config.ts';

/** So many cuts are enough beside the suite `model-streams`, which cuts the same streams at every byte. */
export const CUTS_PER_STREAM = 32;

const ANTHROPIC_OVERFLOW = JSON.stringify({
  type: 'error',
  error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
});
const GEMINI_OVERFLOW = JSON.stringify({
  error: {
    code: 400,
    message: 'The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).',
    status: 'INVALID_ARGUMENT',
  },
});

/** What the adapters are held to the contract with: every stream there is in their format. */
export const CONTRACT_SUBJECTS: Readonly<Record<Subject, ModelContractOptions>> = {
  chat: { open: openedBy((url) => ({ type: 'openai-compatible', baseUrl: `${url}/v1` })), streams: chatStreams() },
  'chat with a final tool': {
    open: openedBy((url) => ({ type: 'openai-compatible', baseUrl: `${url}/v1` }), 'deepseek-chat'),
    streams: { ...chatStreams(), structured: wire('openai-chat/final-tool') },
  },
  responses: {
    open: openedBy((url) => ({ type: 'openai-compatible', api: 'responses', baseUrl: `${url}/v1` }), 'gpt-5-mini'),
    streams: responsesStreams(),
  },
  'azure responses': {
    open: openedBy((url) => ({ type: 'azure-openai', api: 'responses', baseUrl: url }), 'gpt-5-mini'),
    streams: responsesStreams(),
  },
  'azure with apiVersion': {
    open: openedBy((url) => ({ type: 'azure-openai', baseUrl: url, apiVersion: '2024-10-21' })),
    streams: { ...chatStreams(), ...fiveOf('azure-openai') },
  },
  'azure without apiVersion': {
    open: openedBy((url) => ({ type: 'azure-openai', baseUrl: url })),
    streams: { ...chatStreams(), ...fiveOf('azure-openai') },
  },
  anthropic: {
    open: openedBy((url) => ({ type: 'anthropic', baseUrl: url }), 'claude-opus-5-5'),
    contextOverflow: ANTHROPIC_OVERFLOW,
    streams: { ...anthropicStreams(), structured: wire('anthropic/structured') },
  },
  'vertex claude': {
    open: openedByVertex('claude-opus-4-8'),
    contextOverflow: ANTHROPIC_OVERFLOW,
    streams: { ...anthropicStreams(), structured: wire('anthropic/structured') },
  },
  'vertex gemini': {
    open: openedByVertex('gemini-2.5-flash'),
    contextOverflow: GEMINI_OVERFLOW,
    streams: geminiStreams(),
  },
  'anthropic with a final tool': {
    open: openedBy((url) => ({ type: 'anthropic', baseUrl: url }), 'kimi-k2'),
    streams: {
      ...anthropicStreams(),
      text: wire('anthropic/nameless-with-done'),
      parallelCalls: wire('anthropic/input-in-start'),
      structured: wire('anthropic/structured-by-tool'),
    },
  },
  gemini: {
    open: openedBy((url) => ({ type: 'gemini', baseUrl: url }), 'gemini-2.5-flash'),
    contextOverflow: GEMINI_OVERFLOW,
    streams: geminiStreams(),
  },
};

type Subject =
  | 'chat'
  | 'chat with a final tool'
  | 'responses'
  | 'azure responses'
  | 'azure with apiVersion'
  | 'azure without apiVersion'
  | 'anthropic'
  | 'anthropic with a final tool'
  | 'vertex claude'
  | 'vertex gemini'
  | 'gemini';

function openedBy(config: (url: string) => ProviderConfig, name = 'gpt-4o-mini'): (url: string, key: string) => Model {
  return (url, apiKey) => createModel({ ...config(url), apiKey }, name);
}

function openedByVertex(name: string): (url: string, key: string) => Model {
  const place = { project: 'p-1', location: 'europe-west1' };
  return (baseUrl, apiKey) => vertex({ ...place, baseUrl, accessToken: () => apiKey }).createModel(name);
}

function geminiStreams(): ContractStreams {
  return {
    ...fiveOf('gemini', { call: 'call-with-id', refusal: 'safety' }),
    thinking: wire('gemini/thoughts'),
    callWithoutArguments: wire('gemini/call-without-arguments'),
    errorInStream: wire('gemini/error-in-stream'),
    cacheUsage: wire('gemini/cached'),
    structured: wire('gemini/structured'),
  };
}

function responsesStreams(): ContractStreams {
  return {
    ...fiveOf('openai-responses'),
    thinking: wire('openai-responses/reasoning'),
    callWithoutArguments: wire('openai-responses/call-without-arguments'),
    errorInStream: wire('openai-responses/error-event'),
    cacheUsage: wire('openai-responses/cache-usage'),
    structured: wire('openai-responses/structured'),
  };
}

function chatStreams(): Required<ContractStreams> {
  return {
    ...fiveOf('openai-chat'),
    thinking: wire('openai-chat/reasoning'),
    callWithoutArguments: wire('openai-chat/call-without-arguments'),
    errorInStream: wire('openai-chat/error-in-stream'),
    cacheUsage: wire('openai-chat/text'),
    structured: wire('openai-chat/structured'),
  };
}

function anthropicStreams(): ContractStreams {
  return {
    ...fiveOf('anthropic'),
    thinking: wire('anthropic/thinking'),
    callWithoutArguments: wire('anthropic/call-without-arguments'),
    errorInStream: wire('anthropic/error-event'),
    cacheUsage: wire('anthropic/cache-usage'),
  };
}

/** The streams that every format has. */
function fiveOf(format: string, { call = 'call', refusal = 'refusal' } = {}): ContractStreams {
  return {
    text: wire(`${format}/text`),
    call: wire(`${format}/${call}`),
    parallelCalls: wire(`${format}/parallel-calls`),
    length: wire(`${format}/length`),
    refusal: wire(`${format}/${refusal}`),
  };
}

function wire(path: string): string {
  return readFileSync(new URL(`wire/${path}.sse`, import.meta.url), 'utf8');
}
