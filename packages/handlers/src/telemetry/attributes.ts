import type { AssistantMessage, ModelRequest, RunContext, TokenUsage } from '@x/core';
import type { SpanAttributes } from './tracer-like.ts';

/** The usage of a model call, for its price. */
export interface UsageFacts {
  readonly provider: string;
  readonly model: string;
  readonly usage: TokenUsage;
}

/** Provider names defined by the conventions; others are used unchanged. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'openai-compatible': 'openai',
  'azure-openai': 'azure.ai.openai',
  gemini: 'gcp.gemini',
};
const FINISH_REASONS: Readonly<Record<AssistantMessage['stopReason'], string>> = {
  end: 'stop',
  tool_use: 'tool_call',
  length: 'length',
  refusal: 'content_filter',
  interrupted: 'interrupted',
};

/** Attributes that identify agent and session. */
export function agentAttributes({ agentName, sessionId }: RunContext, operation: string): SpanAttributes {
  return { 'gen_ai.operation.name': operation, 'gen_ai.agent.name': agentName, 'gen_ai.conversation.id': sessionId };
}

/** Attributes of the requested model, if known. */
export function modelAttributes({ model }: Pick<ModelRequest, 'model'>): SpanAttributes {
  return model ? { 'gen_ai.provider.name': providerName(model.provider), 'gen_ai.request.model': model.name } : {};
}

/** Attributes of a reply, with our own attribute for its cost, as the conventions have none. */
export function replyAttributes(
  reply: AssistantMessage,
  cost: ((facts: UsageFacts) => number | undefined) | undefined,
): SpanAttributes {
  const { provider, model, usage, id, response } = reply;
  const dollars = reply.cost ?? cost?.({ provider, model, usage });
  return {
    'gen_ai.provider.name': providerName(provider),
    'gen_ai.response.model': response?.model ?? model,
    'gen_ai.response.id': response?.id ?? id,
    'gen_ai.response.finish_reasons': [finishReasonOf(reply)],
    ...usageAttributes(usage),
    ...(dollars === undefined ? {} : { 'gen_ai.usage.cost': dollars }),
  };
}

/** Counts that the service did not report are absent. */
export function usageAttributes(usage: TokenUsage): SpanAttributes {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens, estimated } = usage;
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    ...(cacheReadTokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
    ...(estimated ? { 'agent_sdk.usage.estimated': true } : {}),
  };
}

/** The stop reason of the model, in the terms of the conventions. */
export function finishReasonOf({ stopReason }: AssistantMessage): string {
  return FINISH_REASONS[stopReason];
}

/** A provider in the terms of the conventions. */
export function providerName(provider: string): string {
  return Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]! : provider;
}
