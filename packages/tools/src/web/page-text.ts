import { decodeText } from '../text/decode-text.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';

/** The response of a server. */
export interface Page {
  readonly bytes: Uint8Array;
  /** The header; empty when it is missing. */
  readonly contentType: string;
  /** The base of relative links. */
  readonly url: URL;
}

const HTML = /^(text\/html|application\/xhtml\+xml)$/;
const TEXT = /^text\/|[/+](json|xml|yaml|x-yaml|toml|javascript|x-ndjson)$/;

/** The page as text, HTML as Markdown with its links; undefined for other content. */
export async function pageText({ bytes, contentType, url }: Page): Promise<string | undefined> {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const named = /charset\s*=\s*["']?([\w:-]+)/i.exec(contentType)?.[1];
  if (HTML.test(type) || (type === '' && isLikeHtml(bytes))) {
    const html = decoded(bytes, named ?? /<meta\s[^>]*charset\s*=\s*["']?\s*([\w:-]+)/i.exec(startOf(bytes))?.[1]);
    return await htmlToMarkdown(html, url);
  }
  const text = TEXT.test(type) ? decoded(bytes, named) : decodeText(bytes);
  return text?.includes('\0') ? undefined : text;
}

function isLikeHtml(bytes: Uint8Array): boolean {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(startOf(bytes));
}

/** The encoding and kind of a page are declared within its first 1024 bytes (HTML 13.2.3.2). */
function startOf(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
}

/** A byte order mark overrides any name (Encoding 6). */
function decoded(bytes: Uint8Array, name = 'utf-8'): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder().decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // nobody knows such an encoding
  }
}
