import { recordOf } from '../wire/json-values.ts';
import { type ErrorContext, errorOfEvent, type ModelError } from '../wire/model-error.ts';
import type { CallPiece } from './tool-calls.ts';

/** Data that a chunk adds to a reply; each field may be anything, and is checked before use. */
export interface WireDelta {
  /** Text; Mistral sends a list of parts with thinking. */
  readonly content?: unknown;
  /** DeepSeek, Kimi, GLM, Qwen, vLLM. */
  readonly reasoning_content?: unknown;
  /** OpenRouter, Groq, vLLM. */
  readonly reasoning?: unknown;
  /** GitHub Copilot. */
  readonly reasoning_text?: unknown;
  /** OpenRouter. */
  readonly reasoning_details?: unknown;
  /** LiteLLM. */
  readonly thinking_blocks?: unknown;
  /** Gemini. */
  readonly extra_content?: unknown;
  /** GitHub Copilot: the seal of its thinking. */
  readonly reasoning_opaque?: unknown;
  readonly refusal?: unknown;
  /** Pages that the text names: OpenAI's search models, OpenRouter. */
  readonly annotations?: unknown;
  readonly tool_calls?: unknown;
  /** A single call, in the format from before there were several. */
  readonly function_call?: CallPiece['function'];
}
export interface WireChoice {
  readonly index?: unknown;
  readonly delta?: WireDelta | null;
  /** The whole reply, from servers that do not stream it. */
  readonly message?: WireDelta | null;
  readonly finish_reason?: unknown;
  readonly error?: unknown;
  readonly logprobs?: unknown;
  /** Moonshot. */
  readonly usage?: unknown;
}
export interface WireChunk {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly service_tier?: unknown;
  readonly error?: unknown;
  readonly usage?: unknown;
  readonly choices?: unknown;
  /** Perplexity: pages found, with titles or as addresses. */
  readonly search_results?: unknown;
  readonly citations?: unknown;
  /** Groq. */
  readonly x_groq?: { readonly usage?: unknown; readonly error?: unknown } | null;
}

/** The first choice in a chunk; servers that number it otherwise send only one. */
export function choicesOf({ choices }: WireChunk): readonly WireChoice[] {
  if (!Array.isArray(choices)) return NONE;
  // nearly always
  if (choices.length === 1 && isFirst(choices[0], 0)) return choices as readonly WireChoice[];
  return choices.filter(isFirst);
}

const NONE: readonly WireChoice[] = [];

function isFirst(choice: unknown, position: number): choice is WireChoice {
  if (typeof choice !== 'object' || choice === null) return false;
  const { index } = choice as WireChoice; // safe: its fields are unknown
  return typeof index === 'number' ? index === 0 : position === 0;
}

/** Text in one field of a chunk that contains nothing else. */
export interface OnlyText {
  readonly field: (typeof TEXT_FIELDS)[number];
  readonly text: string;
}

/** The delta of a chunk that contains nothing else. */
function onlyDeltaOf(chunk: WireChunk): WireDelta | undefined {
  const { choices, usage, error, x_groq } = chunk;
  const [choice] = choicesOf(chunk);
  const delta = choice?.delta;
  if (!delta || !Array.isArray(choices) || choices.length !== 1 || usage || error || x_groq?.usage || x_groq?.error) {
    return undefined;
  }
  if (choice.error || choice.finish_reason || choice.usage || choice.message) return undefined;
  for (const name of OTHER_FIELDS) if (!saysNothing(delta[name])) return undefined;
  return delta;
}

/** The text of a chunk that contains nothing else; thinking in its own field counts as text here. */
export function onlyTextOf(chunk: WireChunk): OnlyText | undefined {
  const delta = onlyDeltaOf(chunk);
  if (!delta || !saysNothing(delta.tool_calls)) return undefined;
  let only: OnlyText | undefined;
  for (const field of TEXT_FIELDS) {
    const text = delta[field];
    if (saysNothing(text)) continue;
    if (only || typeof text !== 'string') return undefined;
    only = { field, text };
  }
  return only;
}

/** The piece of a chunk that contains nothing but more arguments, or the same beginning of a call and arguments again. */
export function onlyArgumentsOf(chunk: WireChunk): ArgumentsPiece | undefined {
  const [choice] = choicesOf(chunk);
  if (!choice?.delta?.tool_calls) return undefined; // most
  const delta = onlyDeltaOf(chunk);
  if (!delta || !Array.isArray(delta.tool_calls) || delta.tool_calls.length !== 1) return undefined;
  for (const field of TEXT_FIELDS) if (!saysNothing(delta[field])) return undefined;
  const piece: CallPiece | undefined = recordOf(delta.tool_calls[0]);
  const called = piece?.function;
  if (!called || piece.custom || typeof called.arguments !== 'string') return undefined;
  return { ...piece, function: { ...called, arguments: called.arguments } };
}

/** A piece of a call with a piece of its arguments. */
export interface ArgumentsPiece extends CallPiece {
  readonly function: { readonly name?: unknown; readonly arguments: string };
}

const TEXT_FIELDS = ['content', 'reasoning_content', 'reasoning', 'reasoning_text'] as const;
const OTHER_FIELDS = [
  'reasoning_details',
  'thinking_blocks',
  'extra_content',
  'reasoning_opaque',
  'refusal',
  'function_call',
  'annotations',
] as const;

function saysNothing(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

/** The error that a chunk is, in any of the forms in which services put it into a stream that has begun. */
export function errorInChunk(chunk: WireChunk, event: string, context: ErrorContext): ModelError | undefined {
  // errors that are empty or false are said to be none
  const error = chunk.error || chunk.x_groq?.error;
  if (error) return errorOfEvent(error, context);
  if (event === 'error') return errorOfEvent(chunk, context);
  if (Array.isArray(chunk.choices)) return undefined;
  const fields = recordOf(chunk) ?? {};
  const { status_code: code, status_msg: message } = recordOf(fields['base_resp']) ?? {}; // MiniMax
  if (typeof code === 'number' && code !== 0) return errorOfEvent({ code, message }, context);
  // vLLM says that it is an error; FastAPI has a detail, and proxies but a message
  const isError =
    fields['object'] === 'error' || fields['detail'] !== undefined || typeof fields['message'] === 'string';
  return isError ? errorOfEvent(chunk, context) : undefined;
}

/** Text of one kind, out of a list of parts. */
export interface TextPart {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

/** The texts of content that is a list of parts, as Mistral and Databricks send it; parts of other kinds, such as images and references, are left out. */
export function textParts(content: unknown): readonly TextPart[] {
  return (Array.isArray(content) ? content : [content]).flatMap((part: unknown): readonly TextPart[] => {
    if (typeof part === 'string') return [{ type: 'text', text: part }];
    const fields = recordOf(part);
    const thinking = fields?.['thinking'] ?? fields?.['summary'];
    if (thinking !== undefined) return textParts(thinking).map(({ text }) => ({ type: 'thinking', text }));
    const text = fields?.['text'];
    return typeof text === 'string' ? [{ type: 'text', text }] : [];
  });
}
