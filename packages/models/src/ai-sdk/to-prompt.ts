import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@x/core';
import { type MediaBlock, mediaKind, type ProviderData, resultMedia } from '@x/core/internal';
import { fileText } from '../content/file-text.ts';
import { mediaTitle } from '../content/media-title.ts';

import { calledName, callIdWithin, hidesSignature } from '../wire/call-id.ts';
import { objectInput } from '../wire/tool-input.ts';
import type { Part, PromptMessage } from './specification.ts';
import type { SpokenModel } from './spoken-model.ts';

/** The model that a prompt is for. */
export type Reader = Pick<SpokenModel, 'provider' | 'version'> & { readonly name: string };

/** Anthropic takes ids of these characters, OpenAI of this length. */
const PLAIN_ID = /^[a-zA-Z0-9_-]+$/;
const MOST_OF_ID = 40;

/** One message of a conversation, as those of a prompt. */
export function promptMessages(message: Message, reader: Reader): readonly PromptMessage[] {
  if (message.role === 'user') return [{ role: 'user', content: userParts(message, reader) }];
  if (message.role === 'tool') return resultMessages(message, reader);
  const content = replyParts(message, reader);
  return content.length > 0 ? [{ role: 'assistant', content }] : [];
}

function userParts({ content }: UserMessage, reader: Reader): readonly Part[] {
  const parts = content.flatMap((block) => (block.type === 'text' ? textParts(block.text) : [filePart(block, reader)]));
  return parts.length > 0 ? parts : [textPart('(empty message)')];
}

/** Thoughts go back to the model that had them only. A reply of thoughts alone says nothing that can be answered. */
function replyParts(message: AssistantMessage, reader: Reader): readonly Part[] {
  const { provider, name } = reader;
  const isOwn = message.provider === provider && message.model === name;
  const own = (data: ProviderData | undefined) =>
    isOwn && data?.provider === provider ? { providerOptions: data.data } : {};
  const parts = message.content.flatMap((block): readonly Part[] => {
    if (block.type === 'text') return textParts(block.text, own(block.providerData));
    if (block.type === 'thinking') {
      return isOwn ? [{ type: 'reasoning', text: block.text.toWellFormed(), ...own(block.providerData) }] : [];
    }
    if (block.type === 'image') return [{ ...filePart(block, reader), ...own(block.providerData) }];
    const { id, name: called, input, providerData } = block;
    const call = { toolCallId: callId(id, name), toolName: calledName(called), input: objectInput(input) };
    return [{ type: 'tool-call', ...call, ...own(providerData) }];
  });
  return parts.some(({ type }) => type !== 'reasoning') ? parts : [];
}

/** Pictures and files follow the results as a user message: most providers would write those in a result as the text of their bytes. */
function resultMessages({ content }: ToolMessage, reader: Reader): readonly PromptMessage[] {
  const parts = content.map(({ toolUseId, name, output, isError }) => ({
    type: 'tool-result',
    toolCallId: callId(toolUseId, reader.name),
    toolName: calledName(name),
    output: { type: isError ? 'error-text' : 'text', value: output.toWellFormed() },
  }));
  const shown = content.flatMap((result) => {
    const media = resultMedia(result);
    if (media.length === 0) return [];
    return [textPart(`${mediaTitle(result)} of ${result.name}:`), ...media.map((one) => filePart(one, reader))];
  });
  return [{ role: 'tool', content: parts }, ...(shown.length > 0 ? [{ role: 'user' as const, content: shown }] : [])];
}

/** An id that every service takes; it is the same for a call and its result. */
function callId(id: string, name: string): string {
  return hidesSignature(id, name) ? id : callIdWithin(PLAIN_ID.test(id) ? MOST_OF_ID : 0, id);
}

/** Some services refuse text that is only white space; with data of its own it may carry a signature. */
function textParts(text: string, own: object = {}): readonly Part[] {
  return text.trim() === '' && Object.keys(own).length === 0 ? [] : [{ ...textPart(text), ...own }];
}

function textPart(text: string): Part {
  return { type: 'text', text: text.toWellFormed() };
}

/** Files of text go as text, which every model reads. */
function filePart(block: MediaBlock, { version }: Reader): Part {
  if (block.type === 'file' && mediaKind(block.mediaType) === 'text') return textPart(fileText(block));
  const { mediaType } = block;
  const filename = block.type !== 'image' && block.name !== undefined ? { filename: block.name } : {};
  return { type: 'file', mediaType, ...filename, data: dataOf(block, version) };
}

/** Before version 4 the data stands for itself; since then it says what it is. */
function dataOf(block: MediaBlock, version: Reader['version']): unknown {
  if (block.type === 'link') {
    const url = new URL(block.url);
    return version === 'v4' ? { type: 'url', url } : url;
  }
  return version === 'v4' ? { type: 'data', data: block.data } : block.data;
}
