import { type AssistantMessage, textOf, toolUsesOf } from '@x/core';
import OpenAI from 'openai';
import { createModel } from '../../src/create-model.ts';
import type { Oracle } from './oracle.ts';

const NAME = 'gpt-5-mini';

export const responsesOracle: Oracle = {
  format: 'openai-responses',
  open: (url) => createModel({ type: 'openai-compatible', api: 'responses', apiKey: 'k', baseUrl: `${url}/v1` }, NAME),
  factsOfOurs: factsOfOurResponse,
  async theirs(url) {
    const response = await theirResponse(url);
    if (response.status !== 'completed' && response.status !== 'incomplete') throw new Error(response.status);
    return factsOfTheirResponse(response);
  },
  known: { 'text-without-output': 'the last event lists nothing, so there is nothing' },
};

type Theirs = Awaited<ReturnType<typeof theirResponse>>;

/** What the official client accumulates; also of a reply that has failed. */
export function theirResponse(url: string) {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, logLevel: 'off' });
  return client.responses.stream({ model: NAME, input: 'Hello', store: false }).finalResponse();
}

export function factsOfOurResponse(message: AssistantMessage): object {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens, estimated } = message.usage;
  return {
    text: textOf(message),
    thinking: message.content.flatMap((block) => (block.type === 'thinking' && block.text !== '' ? [block.text] : [])),
    calls: toolUsesOf(message).map(({ id, name, input }) => ({ id, name, input })),
    stopReason: message.stopReason,
    usage: estimated ? [] : [inputTokens, outputTokens, cacheReadTokens, reasoningTokens],
  };
}

export function factsOfTheirResponse(response: Theirs): object {
  const { usage, output } = response;
  return {
    text: output.flatMap((item) => (item.type === 'message' ? item.content.map(textOfPart) : [])).join(''),
    thinking: output.flatMap((item) =>
      item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])].map((part) => part.text) : [],
    ),
    calls: callsIn(response),
    stopReason: stopReasonOf(response),
    usage: usage
      ? [
          usage.input_tokens,
          usage.output_tokens,
          usage.input_tokens_details?.cached_tokens,
          usage.output_tokens_details?.reasoning_tokens,
        ]
      : [],
  };
}

function callsIn({ output }: Theirs) {
  return output.flatMap((item) =>
    item.type === 'function_call' ? [{ id: item.call_id, name: item.name, input: inputOf(item.arguments) }] : [],
  );
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textOfPart(part: OpenAI.Responses.ResponseOutputText | OpenAI.Responses.ResponseOutputRefusal): string {
  return part.type === 'refusal' ? part.refusal : part.text;
}

function stopReasonOf(response: Theirs): string {
  if (response.status === 'incomplete') {
    return response.incomplete_details?.reason === 'content_filter' ? 'refusal' : 'length';
  }
  const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
  if (parts.some((part) => part.type === 'refusal')) return 'refusal';
  return response.output.some((item) => item.type === 'function_call') ? 'tool_use' : 'end';
}
