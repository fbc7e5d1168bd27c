import type { AssistantMessage, ImageBlock, Message, ToolMessage, ToolResultBlock, UserMessage } from '@x/core';
import { type FileBlock, isPicture, type LinkBlock, type MediaBlock, mediaKind, resultMedia } from '@x/core/internal';
import { textIn } from '../content/file-text.ts';
import { recordOf } from '../wire/json-values.ts';
import { objectInput } from '../wire/tool-input.ts';
import { nativeCall, toolsetField } from './computer.ts';
import type { ComputerVersion } from './model-facts.ts';
import { ownData } from './provider-data.ts';

/** A block in the format of the messages API. */
export type WireBlock = Readonly<Record<string, unknown>>;
/** A message in the format of the messages API. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}

interface WireOptions {
  readonly direct: boolean;
  readonly isPaused?: (reply: AssistantMessage) => boolean;
  /** The message before: of results, the reply with their calls. */
  readonly before?: Message | undefined;
  /** The version of computer use of the model, whose calls go back as they came; those of another one are calls of a plain tool. */
  readonly computer?: ComputerVersion | undefined;
}

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Converts one message, from nothing but the message itself and, for results, their calls. */
export function wireMessages(
  message: Message,
  { direct, isPaused = () => false, before, computer }: WireOptions,
): readonly WireMessage[] {
  if (message.role === 'user') return [userMessage(message)];
  if (message.role === 'assistant')
    return assistantMessages(message, { direct, isPaused: isPaused(message), computer });
  return toolMessages(message, { before, computer });
}

/** Keeps an empty message acceptable to the service; leaving it out could leave a reply as the last message. */
function userMessage({ content }: UserMessage): WireMessage {
  const blocks = content.flatMap((block) => (block.type === 'text' ? textBlocks(block.text) : [mediaBlock(block)]));
  return { role: 'user', content: blocks.length > 0 ? blocks : [{ type: 'text', text: '(empty message)' }] };
}

/** The results of one reply; they belong in one message. */
function toolMessages({ content }: ToolMessage, called: Called): readonly WireMessage[] {
  return content.length === 0 ? [] : [{ role: 'user', content: content.map((result) => resultBlock(result, called)) }];
}

type Called = Pick<WireOptions, 'before' | 'computer'>;

function resultBlock(result: ToolResultBlock, { before, computer }: Called): WireBlock {
  const { toolUseId, output, isError } = result;
  // the service refuses an error without text
  const text = output.trim() === '' && isError ? '(no output)' : output;
  const content = [...textBlocks(text), ...resultMedia(result).map(mediaBlock)];
  const [only] = content;
  return {
    type: 'tool_result',
    tool_use_id: wireId(toolUseId),
    ...toolsetField(toolUseId, before, computer),
    ...(only === undefined
      ? {}
      : { content: content.length === 1 && only['type'] === 'text' ? only['text'] : content }),
    ...(isError ? { is_error: true } : {}),
  };
}

/** Leaves out a reply with nothing to send. Neither white space nor a thought may end one. */
function assistantMessages(
  { content }: AssistantMessage,
  { direct, isPaused, computer }: Pick<WireOptions, 'direct' | 'computer'> & { readonly isPaused: boolean },
): readonly WireMessage[] {
  const blocks = content.flatMap((block) => replyBlocks(block, { direct, computer }));
  const answered = isPaused ? blocks : withoutOpenCalls(blocks);
  const end = answered.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  const sent = answered.slice(0, end + 1);
  const last = sent.at(-1);
  if (last === undefined) return [];
  if (last['type'] === 'text') sent[end] = { ...last, text: String(last['text']).trimEnd() };
  return [{ role: 'assistant', content: sent }];
}

function replyBlocks(
  block: AssistantMessage['content'][number],
  { direct, computer }: Pick<WireOptions, 'direct' | 'computer'>,
): readonly WireBlock[] {
  const data = ownData(block.providerData);
  switch (block.type) {
    case 'text':
      return textBlocks(block.text, Array.isArray(data?.['citations']) ? { citations: data['citations'] } : {});
    case 'image':
      return []; // none comes this far, and the service takes none
    case 'thinking':
      return data ? thinkingBlocks(block.text, data, direct) : [];
    case 'tool_use': {
      const { name, input, more } = nativeCall(block, data, computer);
      const called = { name: wireName(name), input: wellFormed(objectInput(input)) };
      return [{ ...more, type: 'tool_use', id: wireId(block.id), ...called }];
    }
  }
}

/** Thoughts go back unchanged, and so do blocks that only the service can read. */
function thinkingBlocks(thinking: string, data: WireBlock, direct: boolean): readonly WireBlock[] {
  const opaque = recordOf(data['block']);
  if (opaque) return [opaque];
  const { signature } = data;
  if (!signature && direct) return [];
  return [{ type: 'thinking', thinking, ...(typeof signature === 'string' ? { signature } : {}) }];
}

/**
 * Removes calls of the service's own tools that were never answered. Next to calls of ours they are answered after our results, at the
 * start of the next reply, and each result needs its call before it.
 */
function withoutOpenCalls(blocks: readonly WireBlock[]): readonly WireBlock[] {
  if (blocks.some(({ type }) => type === 'tool_use')) return blocks;
  const answered = new Set(blocks.map((block) => block['tool_use_id']));
  return blocks.filter(({ type, id }) => !String(type).endsWith('tool_use') || answered.has(id));
}

/** The service refuses text that is only white space. */
function textBlocks(text: string, more: WireBlock = {}): readonly WireBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text: text.toWellFormed(), ...more }];
}

function mediaBlock(block: MediaBlock): WireBlock {
  if (block.type === 'image') return imageBlock(block);
  return block.type === 'link' ? linkBlock(block) : documentBlock(block);
}

function linkBlock(block: LinkBlock): WireBlock {
  return { type: isPicture(block) ? 'image' : 'document', source: { type: 'url', url: block.url } };
}

/** A PDF or a text (@anthropic-ai/sdk, `DocumentBlockParam`). */
function documentBlock(block: FileBlock): WireBlock {
  const { name, mediaType, data } = block;
  const title = name === undefined ? {} : { title: name.toWellFormed() };
  const source =
    mediaKind(mediaType) === 'text'
      ? { type: 'text', media_type: 'text/plain', data: textIn(block) }
      : { type: 'base64', media_type: mediaType, data };
  return { type: 'document', source, ...title };
}

/** Replaces an unsupported picture, which would make every later request fail. */
function imageBlock({ mediaType, data }: ImageBlock): WireBlock {
  const type = mediaType.toLowerCase().replace('image/jpg', 'image/jpeg');
  if (!IMAGE_TYPES.has(type))
    return { type: 'text', text: `(an image that cannot be shown: ${mediaType})`.toWellFormed() };
  return { type: 'image', source: { type: 'base64', media_type: type, data } };
}

/** A JSON value without lone surrogates, which are no text and which services refuse; the value itself where it has none. */
function wellFormed(value: unknown): unknown {
  // JSON.stringify writes a lone surrogate, and nothing else, as such an escape
  if (!/\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(value))) return value;
  return repaired(value);
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), repaired(member)]));
}

const NOT_IN_IDS = /[^a-zA-Z0-9_-]/g;
const MAX_NAME = 128;

/** The id of a call as the service takes it (`^[a-zA-Z0-9_-]+$`): the same for call and result, and another for another id. */
function wireId(id: string): string {
  // a letter that is not allowed becomes its number
  return id.replace(NOT_IN_IDS, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`) || 'call';
}

/** The name of a called tool as the service takes it. Tools that are offered have such names; models may call others. */
function wireName(name: string): string {
  return name.replace(NOT_IN_IDS, '_').slice(0, MAX_NAME) || 'unnamed';
}
