import type { Message, ToolResultBlock } from '@x/core';
import { type MediaBlock, partFacts, partText, resultMedia } from '@x/core/internal';
import type { Reads } from './readable.ts';

/** The message with a text for each part that the model cannot read, one before it could; the message itself where it can read all of it. */
export function readableMessage(message: Message, reads: Reads): Message {
  if (message.role === 'user') {
    if (message.content.every((block) => block.type === 'text' || reads(block))) return message;
    const content = message.content.map((block) =>
      block.type === 'text' || reads(block) ? block : { type: 'text' as const, text: unreadText(block) },
    );
    return { ...message, content };
  }
  if (message.role === 'assistant' || message.content.every((result) => resultMedia(result).every(reads)))
    return message;
  return { ...message, content: message.content.map((result) => readableResult(result, reads)) };
}

function readableResult({ images = [], files = [], ...result }: ToolResultBlock, reads: Reads): ToolResultBlock {
  const notes = [...images, ...files].filter((part) => !reads(part)).map(unreadText);
  const output = [...(result.output === '' ? [] : [result.output]), ...notes].join('\n');
  const shown = { images: images.filter(reads), files: files.filter(reads) };
  return {
    ...result,
    output,
    ...(shown.images.length > 0 ? { images: shown.images } : {}),
    ...(shown.files.length > 0 ? { files: shown.files } : {}),
  };
}

function unreadText(part: MediaBlock): string {
  return `[${partText(partFacts(part))}: this model cannot read it]`;
}
