import type { ImageBlock, UserMessage } from '@x/core';
import { type FileBlock, isPicture, type LinkBlock, mediaKind } from '@x/core/internal';
import { fileText } from '../content/file-text.ts';

/** A part of the input (openai, `ResponseInputContent`). */
type InputPart = Record<string, unknown>;

/** A part of a user's message. */
export function userPart(block: UserMessage['content'][number]): InputPart {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'image':
      return imagePart(block);
    case 'link':
      return linkPart(block);
    case 'file':
      return filePart(block);
  }
}

export function textPart(text: string): InputPart {
  return { type: 'input_text', text: text.toWellFormed() };
}

function imagePart({ mediaType, data }: ImageBlock): InputPart {
  return { type: 'input_image', image_url: `data:${mediaType};base64,${data}`, detail: 'auto' };
}

function linkPart(block: LinkBlock): InputPart {
  return isPicture(block)
    ? { type: 'input_image', image_url: block.url, detail: 'auto' }
    : { type: 'input_file', file_url: block.url };
}

function filePart(block: FileBlock): InputPart {
  const { mediaType, data, name = 'file.pdf' } = block;
  if (mediaKind(mediaType) === 'text') return textPart(fileText(block));
  return { type: 'input_file', filename: name, file_data: `data:${mediaType};base64,${data}` };
}
