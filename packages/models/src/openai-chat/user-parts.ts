import type { ImageBlock, UserMessage } from '@x/core';
import { type FileBlock, mediaKind } from '@x/core/internal';
import { fileText } from '../content/file-text.ts';

/** A part of a message in the format of chat completions (openai, `ChatCompletionContentPart`). */
export type WirePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } };

/** A part of a user's message; of links only those to pictures have a form here. */
export function userPart(block: UserMessage['content'][number]): WirePart {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'image':
      return imagePart(block);
    case 'link':
      return { type: 'image_url', image_url: { url: block.url } };
    case 'file':
      return filePart(block);
  }
}

export function textPart(text: string): WirePart {
  return { type: 'text', text: text.toWellFormed() };
}

function imagePart({ mediaType, data }: ImageBlock): WirePart {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } };
}

function filePart(block: FileBlock): WirePart {
  const { mediaType, data, name = 'file.pdf' } = block;
  const kind = mediaKind(mediaType);
  if (kind === 'text') return textPart(fileText(block));
  if (kind === 'audio')
    return { type: 'input_audio', input_audio: { data, format: mediaType === 'audio/wav' ? 'wav' : 'mp3' } };
  return { type: 'file', file: { filename: name, file_data: `data:${mediaType};base64,${data}` } };
}
