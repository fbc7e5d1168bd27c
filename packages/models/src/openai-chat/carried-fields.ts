import type { AssistantMessage, ThinkingBlock, ToolUseBlock } from '@x/core';
import { recordOf } from '../wire/json-values.ts';
import type { Reader } from './chat-call-id.ts';

/** Fields in which services stream their thinking as text; they expect it back under the same name. */
export const THINKING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;
/** Fields of a message that its service expects back unchanged: OpenRouter, LiteLLM, Gemini, GitHub Copilot. */
export const MESSAGE_FIELDS = ['reasoning_details', 'thinking_blocks', 'extra_content', 'reasoning_opaque'] as const;
/** Fields of a call that its service expects back unchanged: Gemini, LiteLLM. */
export const CALL_FIELDS = ['extra_content', 'provider_specific_fields'] as const;

/** The data of a thinking block: the field of its text, and fields that its service expects back with the message. */
export interface ThinkingData {
  readonly field?: string;
  readonly message?: Readonly<Record<string, unknown>>;
}
type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields sent back with a message to the model it came from, and to no other: no service gets fields of another. A model that wants its
 * thoughts with every such message gets an empty one where there is none.
 */
export function carriedFields(message: AssistantMessage, reader: Reader): Fields {
  const { thoughts, wantsEmptyThought } = reader.facts;
  const wantsThought = thoughts === 'always' || message.content.some((block) => block.type === 'tool_use');
  const isOwn = message.provider === reader.provider && message.model === reader.name;
  const fields = isOwn ? ownFields(message, reader.provider, wantsThought) : {};
  if (!wantsThought || !wantsEmptyThought) return fields;
  const isThought = [...THINKING_FIELDS, ...MESSAGE_FIELDS].some((name) => fields[name] !== undefined);
  return isThought ? fields : { ...fields, reasoning_content: '' };
}

function ownFields({ content }: AssistantMessage, provider: string, wantsThought: boolean): Fields {
  const fields: Record<string, unknown> = {};
  const thinking = content.filter((block) => block.type === 'thinking');
  if (thinking.length === 0) return fields;
  for (const block of thinking)
    Object.assign(fields, only(MESSAGE_FIELDS, recordOf(dataOf(block, provider)?.['message'])));
  const isSaid = fields['reasoning_details'] !== undefined || fields['thinking_blocks'] !== undefined;
  const isSealed = fields['reasoning_opaque'] !== undefined;
  // most require the text alone between a call and its result only, and some refuse it elsewhere
  if (isSaid || !(isSealed || wantsThought)) return fields;
  for (const field of THINKING_FIELDS) {
    if (field === 'reasoning_text' && !isSealed) continue; // Copilot takes its text with the seal only
    const blocks = thinking.filter((block) => dataOf(block, provider)?.['field'] === field);
    if (blocks.length > 0) fields[field] = blocks.map(({ text }) => text.toWellFormed()).join('');
  }
  return fields;
}

/** Fields sent back with a call to the provider it came from. */
export function carriedCallFields(block: ToolUseBlock, provider: string): Fields {
  return only(CALL_FIELDS, dataOf(block, provider));
}

/** The named fields of a record that have a value. */
function only(names: readonly string[], record: Fields | undefined): Fields {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const value = record && Object.hasOwn(record, name) ? record[name] : undefined;
    if (value !== undefined && value !== null) fields[name] = value;
  }
  return fields;
}

function dataOf({ providerData }: ThinkingBlock | ToolUseBlock, provider: string): Fields | undefined {
  return providerData?.provider === provider ? recordOf(providerData.data) : undefined;
}
