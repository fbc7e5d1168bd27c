import Anthropic from '@anthropic-ai/sdk';
import type { AssistantMessage } from '@x/core';
import { createModel } from '../../src/create-model.ts';
import type { Oracle } from './oracle.ts';

const NAME = 'claude-opus-5-5';
const STOP: Readonly<Record<string, AssistantMessage['stopReason']>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  pause_turn: 'end',
  tool_use: 'tool_use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

const KNOWN = {
  'call-ended-by-end-turn': 'ended although it calls',
  'index-from-one': 'pieces are lost: the index is taken for the position in the reply',
  'input-in-start': 'an input that comes as text is lost',
  'length-before-arguments': 'arguments that nobody has finished for none',
  'pause-turn': 'a paused turn is the end',
  'length-in-call': 'arguments that nobody has finished for those that came',
  'same-index': 'pieces are lost: the index is taken for the position in the reply',
  'without-index': 'pieces are lost: the index is taken for the position in the reply',
};

export const anthropicOracle: Oracle = {
  format: 'anthropic',
  open: (url) => createModel({ type: 'anthropic', apiKey: 'k', baseUrl: url }, NAME),
  factsOfOurs: factsOfOurAnthropic,
  theirs: async (url) => factsOfTheirAnthropic(await theirAnthropic(url)),
  known: {
    ...KNOWN,
    compaction: 'a block of the beta without its content, and what it cost',
    'mcp-call': 'a block of the beta without its input',
  },
};

/** The beta of the API has blocks of its own. */
export const anthropicBetaOracle: Oracle = {
  ...anthropicOracle,
  theirs: async (url) => factsOfTheirAnthropic(await theirAnthropicBeta(url)),
  known: { ...KNOWN, compaction: 'what the compaction cost is left out' },
};

/** What the official client accumulates. */
export function theirAnthropic(url: string): Promise<Anthropic.Message> {
  const { client, body } = official(url);
  return client.messages.stream(body).finalMessage();
}

/** The same of the beta. */
export function theirAnthropicBeta(url: string): Promise<Anthropic.Beta.BetaMessage> {
  const { client, body } = official(url);
  return client.beta.messages.stream(body).finalMessage();
}

export interface AnthropicFacts {
  readonly blocks: readonly unknown[];
  readonly stopReason: AssistantMessage['stopReason'] | undefined;
  readonly usage: readonly (number | undefined)[];
}

export function factsOfOurAnthropic({ content, stopReason, usage }: AssistantMessage): AnthropicFacts {
  const blocks = content.map((block) => {
    const data = block.providerData?.data as Record<string, unknown> | undefined; // safe: what the adapter makes
    if (block.type === 'text') return { type: 'text', text: block.text, citations: data?.['citations'] ?? [] };
    if (block.type === 'tool_use') return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
    if (block.type === 'image') throw new Error('The messages API gives no pictures');
    return data?.['block'] ?? { type: 'thinking', thinking: block.text, signature: data?.['signature'] || undefined };
  });
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return { blocks, stopReason, usage: [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens] };
}

export function factsOfTheirAnthropic({
  content,
  stop_reason,
  usage,
}: Anthropic.Message | Anthropic.Beta.BetaMessage): AnthropicFacts {
  const blocks = content.map((block) => {
    if (block.type === 'text') return { type: 'text', text: block.text, citations: block.citations ?? [] };
    if (block.type === 'thinking') return { ...block, signature: block.signature || undefined }; // an empty one signs nothing
    if (block.type !== 'tool_use') return { ...block };
    return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
  });
  const read = usage.cache_read_input_tokens ?? undefined;
  const written = usage.cache_creation_input_tokens ?? undefined;
  const input = (usage.input_tokens ?? 0) + (read ?? 0) + (written ?? 0);
  const thinking = usage.output_tokens_details?.thinking_tokens;
  return { blocks, stopReason: STOP[stop_reason ?? ''], usage: [input, usage.output_tokens, read, written, thinking] };
}

function official(url: string) {
  const client = new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0, logLevel: 'off', openTelemetry: false });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  return { client, body: { model: NAME, max_tokens: 64_000, messages } };
}
