import type { ImageBlock, Message, ToolResultBlock } from '@x/core';
import { type MediaBlock, partFacts, partText } from '@x/core/internal';
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
  if (message.role === 'assistant' || message.content.every(({ images = [] }) => images.every(reads))) return message;
  return { ...message, content: message.content.map((result) => readableResult(result, reads)) };
}

function readableResult({ images = [], ...result }: ToolResultBlock, reads: Reads): ToolResultBlock {
  const shown: ImageBlock[] = images.filter(reads);
  const notes = images.filter((image) => !reads(image)).map(unreadText);
  const output = [...(result.output === '' ? [] : [result.output]), ...notes].join('\n');
  return { ...result, output, ...(shown.length > 0 ? { images: shown } : {}) };
}

function unreadText(part: MediaBlock): string {
  return `[${partText(partFacts(part))}: this model cannot read it]`;
}
