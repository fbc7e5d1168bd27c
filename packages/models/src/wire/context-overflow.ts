/** A service's answer to a request that it refused. */
export interface RefusalFacts {
  /** HTTP status. */
  readonly status: number;
  readonly text: string;
  readonly type?: string;
  readonly code?: string;
}

/** Codes and types with this one meaning: OpenAI and compatible services, llama.cpp, Anthropic. */
const NAMES = new Set(['context_length_exceeded', 'exceed_context_size_error', 'request_too_large']);
/** Statuses about the caller or the rate, even if their text mentions tokens. */
const OTHER_REASONS = new Set([401, 403, 404, 429]);
/** Parts of the services' messages, in lower case. */
const TEXTS: readonly string[] = [
  'maximum context length', // OpenAI, Azure, vLLM, OpenRouter, DeepSeek, Mistral
  'context_length_exceeded', // gateways that pass the code on as text
  'context length exceeded',
  'context length is only', // vLLM from 0.16
  'exceeds the context window', // OpenAI responses
  'exceeds model context window',
  'context window exceeds limit', // MiniMax
  'prompt is too long', // Anthropic
  'exceeds the maximum number of tokens', // Gemini
  'exceed context limit', // Anthropic, with max_tokens added
  'input is too long', // Bedrock, Replicate
  'maximum prompt length', // xAI
  'reduce the length of the messages', // Groq
  'exceeds the available context size', // llama.cpp
  'greater than the context length', // LM Studio
  'exceeded model token limit', // Moonshot
  'longer than the maximum model length', // vLLM
  'too many tokens',
  'too many input tokens',
];

/** True when a refusal means that the messages do not fit the model's window. Services agree on neither status, code nor text. */
export function saysContextOverflow({ status, text, type = '', code = '' }: RefusalFacts): boolean {
  if (NAMES.has(code) || NAMES.has(type)) return true;
  if (OTHER_REASONS.has(status)) return false;
  const said = text.toLowerCase();
  return TEXTS.some((piece) => said.includes(piece));
}
