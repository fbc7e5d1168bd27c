import type { FileBlock } from '@x/core/internal';

/** The text of a file, without its byte order mark. */
export function textIn({ data }: FileBlock): string {
  return new TextDecoder().decode(Buffer.from(data, 'base64'));
}

/** The text of a file under its name, for services that have no form for files of text. */
export function fileText(file: FileBlock): string {
  const { name, mediaType } = file;
  return `[${name === undefined ? '' : `${name.toWellFormed()}, `}${mediaType}]\n${textIn(file)}`;
}
