import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@x/core';
import { type MediaBlock, mediaKind, type ProviderData } from '@x/core/internal';
import { fileText } from '../content/file-text.ts';

import { calledName } from '../wire/call-id.ts';
import { objectInput } from '../wire/tool-input.ts';
import type { Part, PromptMessage } from './specification.ts';
import type { SpokenModel } from './spoken-model.ts';

/** The model that a prompt is for. */
export type Reader = Pick<SpokenModel, 'provider' | 'version'> & { readonly name: string };

/** One message of a conversation, as those of a prompt. */
export function promptMessages(message: Message, reader: Reader): readonly PromptMessage[] {
  if (message.role === 'user') return [{ role: 'user', content: userParts(message, reader) }];
  if (message.role === 'tool') return resultMessages(message, reader);
  const content = replyParts(message, reader);
  return content.length > 0 ? [{ role: 'assistant', content }] : [];
}

function userParts({ content }: UserMessage, reader: Reader): readonly Part[] {
  if (content.length === 0) return [textPart('')];
  return content.map((block) => (block.type === 'text' ? textPart(block.text) : filePart(block, reader)));
}

/** Thoughts go back to the model that had them only. A reply of thoughts alone says nothing that can be answered. */
function replyParts(message: AssistantMessage, { provider, name }: Reader): readonly Part[] {
  const isOwn = message.provider === provider && message.model === name;
  const own = (data: ProviderData | undefined) =>
    isOwn && data?.provider === provider ? { providerOptions: data.data } : {};
  const parts = message.content.flatMap((block): Part[] => {
    if (block.type === 'text') return [{ ...textPart(block.text), ...own(block.providerData) }];
    if (block.type === 'thinking') {
      return isOwn ? [{ type: 'reasoning', text: block.text.toWellFormed(), ...own(block.providerData) }] : [];
    }
    const { id, name: called, input, providerData } = block;
    const call = { toolCallId: id, toolName: calledName(called), input: objectInput(input) };
    return [{ type: 'tool-call', ...call, ...own(providerData) }];
  });
  return parts.some(({ type }) => type !== 'reasoning') ? parts : [];
}

/** Pictures follow the results as a user message: most providers would write those in a result as the text of their bytes. */
function resultMessages({ content }: ToolMessage, reader: Reader): readonly PromptMessage[] {
  const parts = content.map(({ toolUseId, name, output, isError }) => ({
    type: 'tool-result',
    toolCallId: toolUseId,
    toolName: calledName(name),
    output: { type: isError ? 'error-text' : 'text', value: output.toWellFormed() },
  }));
  const shown = content.flatMap(({ images = [], name }) =>
    images.length > 0
      ? [textPart(`Images of the result of ${name}:`), ...images.map((image) => filePart(image, reader))]
      : [],
  );
  return [{ role: 'tool', content: parts }, ...(shown.length > 0 ? [{ role: 'user' as const, content: shown }] : [])];
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
