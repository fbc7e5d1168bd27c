import { type MediaBlock, textOf, type UserMessage } from './message.ts';

/** Facts about a picture or a file, in place of its bytes. */
export interface PartFacts {
  readonly type: MediaBlock['type'];
  readonly mediaType: string;
  /** Absent for a link. */
  readonly bytes?: number;
  readonly name?: string;
  /** Of a link. */
  readonly url?: string;
}

/** Kinds of media types, as models tell them apart. */
export type MediaKind = 'image' | 'pdf' | 'text' | 'audio' | 'other';

const TEXTS = /^(?:text\/.+|application\/(?:json|xml|yaml|x-yaml|toml|javascript|x-sh|sql|.+\+(?:json|xml)))$/;

/** The kind of a media type in lower case, without parameters. */
export function mediaKind(mediaType: string): MediaKind {
  if (mediaType.startsWith('image/')) return 'image';
  if (mediaType.startsWith('audio/')) return 'audio';
  if (mediaType === 'application/pdf') return 'pdf';
  return TEXTS.test(mediaType) ? 'text' : 'other';
}

/** The pictures, files and links of a message, in its order. */
export function mediaOf({ content }: UserMessage): MediaBlock[] {
  return content.filter((block) => block.type !== 'text');
}

/** True for a picture, by its bytes or by its address. */
export function isPicture({ type, mediaType }: MediaBlock): boolean {
  return type === 'image' || (type === 'link' && mediaType.startsWith('image/'));
}

/** The facts about a part, without its bytes. */
export function partFacts(part: MediaBlock): PartFacts {
  const { type, mediaType } = part;
  const name = type !== 'image' && part.name !== undefined ? { name: part.name } : {};
  return { type, mediaType, ...name, ...(type === 'link' ? { url: part.url } : { bytes: bytesOfBase64(part.data) }) };
}

/** The part of a user message that events show. */
export interface MessageFacts {
  readonly messageId: string;
  /** Its text. */
  readonly content: string;
  /** Its other parts; absent without any. */
  readonly parts?: readonly PartFacts[];
}

/** A message as events show it: its text, and the facts about its other parts. */
export function messageFacts(message: UserMessage): MessageFacts {
  const parts = mediaOf(message).map(partFacts);
  return { messageId: message.id, content: textOf(message), ...(parts.length > 0 ? { parts } : {}) };
}

/** A part in words, such as `image/png, 12 kB` or `report.pdf, application/pdf, 1.2 MB`. */
export function partText({ name, mediaType, url, bytes = 0 }: PartFacts): string {
  return [name, mediaType, url ?? sizeText(bytes)].filter((fact) => fact !== undefined).join(', ');
}

/** A message for people: its text, then a line in brackets for each other part. */
export function shownMessage({ content, parts = [] }: Pick<MessageFacts, 'content' | 'parts'>): string {
  const lines = parts.map((part) => `[${partText(part)}]`);
  return [...(content === '' ? [] : [content]), ...lines].join('\n');
}

/** The number of bytes that base64 stands for. */
export function bytesOfBase64(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
