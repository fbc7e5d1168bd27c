import { type AssistantMessage, textOf, toolUsesOf } from '@x/core';
import { AzureOpenAI, OpenAI } from 'openai';
import { createModel } from '../../src/create-model.ts';
import type { Oracle } from './oracle.ts';

const NAME = 'gpt-4o-mini';
const VERSION = '2024-10-21';
const common = { apiKey: 'k', maxRetries: 0, logLevel: 'off' } as const;

export const chatOracle: Oracle = {
  format: 'openai-chat',
  open: (url) => createModel({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${url}/v1` }, NAME),
  factsOfOurs: factsOfOurChat,
  theirs: async (url) => factsOfTheirChat(await theirChat(new OpenAI({ ...common, baseURL: `${url}/v1` }))),
  known: {
    'call-after-empty-arguments': 'both joined, which is no JSON',
    'call-goes-on-at-another-index': 'both joined to the call at that index',
    'call-with-arguments-twice': 'both joined, which is no JSON',
    'call-with-object-arguments': '[object Object]',
    'calls-with-one-index': 'one call',
    'calls-with-the-same-id': 'calls that results cannot tell apart',
    'calls-without-id-one-index': 'one call',
    'content-parts': '[object Object]',
    'extra-content': 'one call',
    'length-before-arguments': 'arguments that nobody has finished for none',
    'reasoning-call': 'DeepSeek has its own word for cached tokens',
    'reasoning-field': 'Groq has its own place for usage',
    'usage-in-choice': 'Moonshot has its own place for usage',
    'usage-in-two-halves': 'the last half',
  },
};

export const azureOracle: Oracle = {
  ...chatOracle,
  format: 'azure-openai',
  open: (url) => createModel({ type: 'azure-openai', apiKey: 'k', baseUrl: url, apiVersion: VERSION }, NAME),
  theirs: async (url) => {
    const client = new AzureOpenAI({ ...common, endpoint: url, apiVersion: VERSION, deployment: NAME });
    return factsOfTheirChat(await theirChat(client));
  },
  known: {},
};

/** What the official client accumulates. */
export function theirChat(client: OpenAI): Promise<OpenAI.ChatCompletion> {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const body = { model: NAME, messages, stream_options: { include_usage: true } };
  return client.chat.completions.stream(body).finalChatCompletion();
}

/** Text of a JSON object stands for the object; ids that are made up are not compared. */
export function factsOfOurChat(message: AssistantMessage): object {
  const calls = toolUsesOf(message).map(({ id, name, input }) => ({ id: idOf(id), name, input }));
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens, estimated } = message.usage;
  const usage = estimated ? [] : [inputTokens, outputTokens, cacheReadTokens, reasoningTokens];
  return { text: textOf(message), calls, stopReason: message.stopReason, usage };
}

export function factsOfTheirChat({ choices: [choice], usage }: OpenAI.ChatCompletion): object {
  const { content, refusal, function_call, tool_calls = [] } = choice!.message; // it refuses a reply without a choice
  const old = function_call ? [{ id: 'call_', ...function_call }] : [];
  const calls = tool_calls.map((call) => {
    if (call.type === 'custom') return { id: idOf(call.id), name: call.custom.name, input: call.custom.input };
    return { id: idOf(call.id), name: call.function.name, input: inputOf(call.function.arguments) };
  });
  const called = [...calls, ...old.map(({ id, name, arguments: text }) => ({ id, name, input: inputOf(text) }))];
  const ended = { length: 'length', content_filter: 'refusal' }[choice!.finish_reason as string];
  return {
    text: (content ?? '') + (refusal ?? ''),
    calls: called,
    stopReason: ended ?? (refusal ? 'refusal' : called.length > 0 ? 'tool_use' : 'end'),
    usage: usage
      ? [
          usage.prompt_tokens,
          usage.completion_tokens,
          usage.prompt_tokens_details?.cached_tokens,
          usage.completion_tokens_details?.reasoning_tokens,
        ]
      : [],
  };
}

function idOf(id: string): string {
  return /^call_[0-9a-f-]{32,}$/.test(id) ? 'call_' : id;
}

function inputOf(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return text; // arguments that are no JSON
  }
}
