import type { AssistantMessage } from '@x/core';

/** Finish reasons for the token limit: OpenAI, Anthropic, Mistral, Gemini in the same format, in any case. */
const LENGTH = new Set(['length', 'max_tokens', 'model_length', 'max_output_tokens', 'max_length', 'token_limit']);
/** Finish reasons for a filter: OpenAI, Anthropic, GLM, Gemini. */
const REFUSAL = new Set([
  'content_filter',
  'content-filter',
  'content_filtered',
  'refusal',
  'sensitive',
  'safety',
  'recitation',
  'prohibited_content',
  'blocklist',
  'spii',
  'guardrail_intervened',
]);
/** Finish reasons for a reply that its service gave up: OpenRouter, GLM, DeepSeek, vLLM. */
const FAILURE = new Set(['error', 'network_error', 'insufficient_system_resource', 'abort']);

/** Classifies a finish reason; an unknown one is an ordinary end. */
export function endingOf(finishReason: string): 'length' | 'refusal' | 'failure' | 'end' {
  const word = finishReason.toLowerCase();
  if (LENGTH.has(word)) return 'length';
  if (REFUSAL.has(word)) return 'refusal';
  // Gemini: a malformed call
  return FAILURE.has(word) || word.includes('malformed_function_call') ? 'failure' : 'end';
}

/** The stop reason of a whole reply. */
export function stopReasonOf(
  finishReason: string,
  { refused, calls }: { refused: boolean; calls: number },
): AssistantMessage['stopReason'] {
  const ending = endingOf(finishReason);
  if (ending === 'length') return 'length';
  if (ending === 'refusal' || refused) return 'refusal';
  return calls > 0 ? 'tool_use' : 'end';
}
