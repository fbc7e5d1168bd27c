import type { ImageBlock, ToolResult } from '@x/core';
import type { FileBlock } from '@x/core/internal';
import { isRecord } from '@x/errors';

type Part = { readonly text: string } | { readonly image: ImageBlock } | { readonly file: FileBlock };

const IMAGES = /^image\/(png|jpeg|gif|webp)$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Converts a `CallToolResult` (Model Context Protocol 2025-11-25). Text and embedded texts become the output, images stay images, embedded
 * PDFs files; links and what a model cannot read are named; structured content is the `data`, and the output when there is no other. The result may be anything.
 */
export function resultOfCall(result: Readonly<Record<string, unknown>>): ToolResult {
  const { content, structuredContent, isError } = result;
  const parts = (Array.isArray(content) ? content : []).map(partOf);
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  const images = parts.flatMap((part) => ('image' in part ? [part.image] : []));
  const files = parts.flatMap((part) => ('file' in part ? [part.file] : []));
  const hasStructure = isRecord(structuredContent);
  const output = texts.length === 0 && hasStructure ? JSON.stringify(structuredContent) : texts.join('\n');
  return {
    output,
    isError: isError === true,
    ...(hasStructure ? { data: structuredContent } : {}),
    ...(images.length > 0 ? { images } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

function partOf(part: unknown): Part {
  if (!isRecord(part)) return { text: '[content that is no object]' };
  const { type } = part;
  if (type === 'text') return { text: typeof part['text'] === 'string' ? part['text'] : '' };
  if (type === 'image') return mediaPart(part, 'image');
  if (type === 'audio') return mediaPart(part, 'audio');
  if (type === 'resource') return resourcePart(part['resource']);
  if (type === 'resource_link') return { text: `[resource ${shown(part['name'])}: ${shown(part['uri'])}]` };
  return { text: `[content of the type ${shown(type)}]` };
}

/** An image that services would refuse must not get into a conversation, where it would be sent again and again. */
function mediaPart({ data, mimeType }: Readonly<Record<string, unknown>>, what: string): Part {
  const isReadable = isBase64(data);
  if (what === 'image' && typeof mimeType === 'string' && IMAGES.test(mimeType) && isReadable) {
    return { image: { type: 'image', mediaType: mimeType, data } };
  }
  const size = typeof data === 'string' ? Buffer.byteLength(data, 'base64') : 0;
  return { text: `[${what}, ${shown(mimeType)}, ${size} bytes${isReadable ? '' : ', damaged'}]` };
}

function resourcePart(resource: unknown): Part {
  if (!isRecord(resource)) return { text: '[a resource that is no object]' };
  const { uri, text, blob, mimeType } = resource;
  if (typeof text === 'string') return { text };
  if (mimeType === 'application/pdf' && isBase64(blob)) {
    return { file: { type: 'file', mediaType: mimeType, data: blob, name: nameIn(uri) } };
  }
  const part = mediaPart({ data: blob, mimeType }, 'image');
  return 'image' in part ? part : { text: `[resource ${shown(uri)}, ${shown(mimeType)}]` };
}

function isBase64(data: unknown): data is string {
  return typeof data === 'string' && data !== '' && data.length % 4 === 0 && BASE64.test(data);
}

/** The last segment of an address. */
function nameIn(uri: unknown): string {
  return shown(uri).split(/[?#]/, 1)[0]!.split('/').at(-1) || 'file.pdf';
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 500) : 'unknown';
}
