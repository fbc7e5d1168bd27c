import { type AssistantMessage, type ImageBlock, type Message, userMessage } from '@x/core';
import { bytesOfBase64, partFacts, partText } from '@x/core/internal';
import type { Reads } from './readable.ts';
import { readableMessage } from './unreadable.ts';

/** Bytes of a picture at most; a larger one is left out of the reply, as one in a message of the user is refused. */
const MOST_BYTES = 20 * 1024 * 1024;
/** Bytes that every service takes from a user: 5 MB of base64 at Anthropic. */
const MOST_SHOWN_BYTES = 3_750_000;

interface PictureReader {
  readonly reads: Reads;
  /** True for a picture that the service takes back in the reply itself. Default: for none. */
  readonly keeps?: ((block: ImageBlock, reply: AssistantMessage) => boolean) | undefined;
}

/** A picture as a block of a reply; words in its place when it is too large. */
export function replyPicture(picture: ImageBlock): AssistantMessage['content'][number] {
  if (bytesOfBase64(picture.data) <= MOST_BYTES) return picture;
  return { type: 'text', text: `[${nameOf(picture)}: more than 20 MiB, left out]` };
}

/**
 * A message as a model can read it, with words for each part that it cannot. Most services take no picture in a reply: words stand for each
 * there too, and behind the reply, if no results must follow it, come those that the model can read, as a message of the user.
 */
export function readableMessages(message: Message, reader: PictureReader): readonly Message[] {
  return message.role === 'assistant' ? readableReply(message, reader) : [readableMessage(message, reader.reads)];
}

function readableReply(reply: AssistantMessage, { reads, keeps = () => false }: PictureReader): readonly Message[] {
  if (!reply.content.some(({ type }) => type === 'image')) return [reply];
  const isLast = !reply.content.some(({ type }) => type === 'tool_use');
  const shown: ImageBlock[] = [];
  const content = reply.content.map((block) => {
    if (block.type !== 'image' || keeps(block, reply)) return block;
    const { type, mediaType, data } = block;
    const isShown = isLast && reads(block) && bytesOfBase64(data) <= MOST_SHOWN_BYTES;
    if (isShown) shown.push({ type, mediaType, data });
    return { type: 'text' as const, text: `[${nameOf(block)}${isShown ? '' : ': not shown here'}]` };
  });
  const spoken = { ...reply, content };
  if (shown.length === 0) return [spoken];
  return [spoken, userMessage([{ type: 'text', text: 'Pictures of the reply:' }, ...shown])];
}

function nameOf(picture: ImageBlock): string {
  return `image: ${partText(partFacts(picture))}`;
}
