import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@x/core';
import { type MediaBlock, mediaKind, resultMedia } from '@x/core/internal';
import { fileText } from '../content/file-text.ts';
import { calledName, callIdWithin } from '../wire/call-id.ts';
import { recordOf } from '../wire/json-values.ts';
import { objectInput } from '../wire/tool-input.ts';
import { BEDROCK } from './bedrock-options.ts';

type WireBlock = Readonly<Record<string, unknown>>;
interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}

/** The service takes ids of these characters, and so many (docs.aws.amazon.com, "ToolUseBlock"). */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** The messages of a conversation; of one role in a row they are one. `called` are the names of the tools in it. */
export function conversation(history: readonly Message[]): {
  readonly messages: readonly WireMessage[];
  readonly called: ReadonlySet<string>;
} {
  const messages: { role: WireMessage['role']; content: WireBlock[] }[] = [];
  const called = new Set<string>();
  for (const message of history) {
    const [role, content] = wireMessage(message);
    if (content.length === 0) continue;
    for (const { toolUse } of content) if (toolUse) called.add(String(recordOf(toolUse)?.['name']));
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  }
  return { messages, called };
}

function wireMessage(message: Message): [role: WireMessage['role'], content: readonly WireBlock[]] {
  if (message.role === 'user') return ['user', userBlocks(message)];
  if (message.role === 'tool') return ['user', resultBlocks(message)];
  return ['assistant', replyBlocks(message)];
}

/** Keeps an empty message acceptable to the service; leaving it out could leave a reply as the last message. */
function userBlocks({ content }: UserMessage): readonly WireBlock[] {
  const blocks = content.flatMap((block) => (block.type === 'text' ? textBlocks(block.text) : [mediaBlock(block)]));
  if (blocks.length === 0) return [{ text: '(empty message)' }];
  // the service refuses a document without a text beside it
  return blocks.some(({ document }) => document) && !blocks.some(({ text }) => text !== undefined)
    ? [{ text: '(a document)' }, ...blocks]
    : blocks;
}

function resultBlocks({ content }: ToolMessage): readonly WireBlock[] {
  return content.map((result) => {
    const said = [...textBlocks(result.output), ...resultMedia(result).map(mediaBlock)];
    const toolResult = {
      toolUseId: wireId(result.toolUseId),
      content: said.length > 0 ? said : [{ text: '(no output)' }],
      ...(result.isError ? { status: 'error' } : {}),
    };
    return { toolResult };
  });
}

/** Thoughts go back with their signature only: the others are for people. A reply of thoughts alone says nothing. */
function replyBlocks({ content }: AssistantMessage): readonly WireBlock[] {
  const blocks = content.flatMap((block): readonly WireBlock[] => {
    if (block.type === 'text') return textBlocks(block.text);
    if (block.type === 'thinking') {
      const data = block.providerData?.provider === BEDROCK ? recordOf(block.providerData.data) : undefined;
      const { signature, redacted } = data ?? {};
      if (typeof redacted === 'string') {
        return [{ reasoningContent: { redactedContent: Buffer.from(redacted, 'base64') } }];
      }
      if (typeof signature !== 'string') return [];
      return [{ reasoningContent: { reasoningText: { text: block.text.toWellFormed(), signature } } }];
    }
    if (block.type === 'image') return []; // none comes this far, and the service takes none
    const { id, name, input } = block;
    return [{ toolUse: { toolUseId: wireId(id), name: calledName(name), input: objectInput(input) } }];
  });
  return blocks.some((block) => block['reasoningContent'] === undefined) ? blocks : [];
}

function wireId(id: string): string {
  return PLAIN_ID.test(id) ? id : callIdWithin(0, id);
}

/** The service refuses text that is only white space. */
function textBlocks(text: string): readonly WireBlock[] {
  return text.trim() === '' ? [] : [{ text: text.toWellFormed() }];
}

/** Addresses do not come here: no model of this API reads one. */
function mediaBlock(block: MediaBlock): WireBlock {
  if (block.type === 'file' && mediaKind(block.mediaType) === 'text') return { text: fileText(block) };
  const bytes = block.type === 'link' ? Buffer.alloc(0) : Buffer.from(block.data, 'base64');
  const format = block.mediaType.toLowerCase().replace(/^.*\//, '').replace('jpg', 'jpeg');
  if (block.type === 'image') return { image: { format, source: { bytes } } };
  return { document: { format, name: documentName(block.name), source: { bytes } } };
}

/** The characters that the service takes (docs.aws.amazon.com, "DocumentBlock"). */
function documentName(name = 'document'): string {
  return name.replaceAll(/[^a-zA-Z0-9 ()[\]-]+/g, '-').slice(0, 200) || 'document';
}
