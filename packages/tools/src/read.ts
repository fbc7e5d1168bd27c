import { defineTool, objectSchema, type Tool, type ToolContext, type ToolOutput, type ToolResult } from '@x/core';
import { followedStat, missingFile } from './files/missing-file.ts';
import { BoundedLines } from './text/bounded-lines.ts';
import { decodeText } from './text/decode-text.ts';
import { failure } from './text/failure.ts';
import { counted, linesOf, numberedLine } from './text/numbered-lines.ts';

const DEFAULT_LINES = 2_000;
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_IMAGE_BYTES = 3_750_000;
/** A file goes along with each later request. */
const MAX_PDF_BYTES = 10_000_000;

export interface ReadInput {
  file_path: string;
  offset?: number;
  limit?: number;
}
/** Names of tools that the answers refer the model to. */
export interface ReadHints {
  /** Lists a directory. */
  readonly list: string;
  /** Shows a part of a file that is too large. */
  readonly part: string;
}

const HINTS: ReadHints = { list: 'Glob, or ls with Bash', part: 'Grep, or sed -n with Bash' };

/** Returns text with line numbers, an image or a PDF; a missing file, a directory or a binary file is an error result. */
export function readTool(): Tool<ReadInput> {
  return defineTool({
    name: 'Read',
    description:
      'Reads a file. Text comes with line numbers (number, tab, line; the number is not part of the file), 2000 lines unless ' +
      'limit says otherwise and at most 30,000 characters; the end of the answer says how to read on. Lines over 2000 ' +
      'characters are cut. PNG, JPEG, GIF and WebP images and PDFs are shown. Directories and other binary files are refused.',
    inputSchema: objectSchema({
      file_path: { type: 'string', description: 'The file, absolute or relative to the working directory.' },
      offset: { type: 'integer', description: 'The first line to show, from 1.', minimum: 1, optional: true },
      limit: { type: 'integer', description: 'How many lines to show. Default 2000.', minimum: 1, optional: true },
    }),
    kind: 'readonly',
    subject: ({ file_path }) => ({ type: 'paths', paths: [file_path] }),
    execute: (input, context) => read(input, context, HINTS),
  });
}

/** Implements `Read`. */
export async function read(input: ReadInput, { workspace }: ToolContext, hints: ReadHints): Promise<ToolOutput> {
  const path = input.file_path;
  const found = await followedStat(workspace, path);
  if (!found) return failure(await missingFile(workspace, path));
  if (found.kind === 'directory') return failure(`${path} is a directory; use ${hints.list}, to see what is in it.`);
  if (found.kind !== 'file') return failure(`${path} is not a regular file.`);
  if (found.size > MAX_FILE_BYTES) {
    return failure(`${path} has ${counted(found.size)} bytes, too many to read at once; use ${hints.part}.`);
  }
  const bytes = await workspace.readFile(path);
  const mediaType = mediaTypeOf(bytes);
  if (mediaType) return media(path, bytes, mediaType);
  const text = decodeText(bytes);
  if (text === undefined) return failure(`${path} is a binary file (${counted(bytes.length)} bytes), not UTF-8 text.`);
  return text === '' ? `${path} is empty.` : excerpt(path, linesOf(text), input);
}

function media(path: string, bytes: Uint8Array, mediaType: string): ToolOutput {
  const isPdf = mediaType === PDF;
  const [what, most] = isPdf ? ['a PDF', MAX_PDF_BYTES] : ['an image', MAX_IMAGE_BYTES];
  if (bytes.length > most) {
    const advice = isPdf
      ? 'Take the pages that matter, or their text, with a program first.'
      : 'Make it smaller first.';
    return failure(
      `${path} is ${what} of ${counted(bytes.length)} bytes; models take up to ${counted(most)}. ${advice}`,
    );
  }
  const data = base64Of(bytes);
  const name = path.split('/').at(-1)!; // a text has a last part
  return [
    { type: 'text', text: `${path} (${mediaType}, ${counted(bytes.length)} bytes)` },
    isPdf ? { type: 'file', mediaType, data, name } : { type: 'image', mediaType, data },
  ];
}

function excerpt(
  path: string,
  lines: readonly string[],
  { offset = 1, limit = DEFAULT_LINES }: ReadInput,
): string | ToolResult {
  if (offset > lines.length) {
    return failure(`${path} has ${counted(lines.length)} lines; offset ${offset} is past its end.`);
  }
  const bounded = new BoundedLines();
  const wanted = lines.slice(offset - 1, offset - 1 + limit);
  const complete = wanted.every((line, index) => bounded.add(numberedLine(line, offset + index)));
  const next = offset + bounded.lines.length;
  if (next > lines.length) return bounded.text();
  const why = complete ? '' : ' (30,000 characters is the most)';
  return bounded.text(
    `Lines ${offset} to ${next - 1} of ${counted(lines.length)} are shown${why}. Read on with offset ${next}.`,
  );
}

const PDF = 'application/pdf';

/** The media type of an image or a PDF that models take, by its first bytes; undefined for anything else. */
function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('%PDF-')) return PDF;
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : undefined;
}

const CHUNK = 0x8000;

/** Base64 of bytes. */
function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
