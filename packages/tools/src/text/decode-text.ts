/** The text of UTF-8 bytes, its byte order mark kept so that encoding it gives the same bytes; undefined for anything else. */
export function decodeExactly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of a UTF-8 text file without its byte order mark; undefined for bytes that are not UTF-8 or hold a NUL. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  return withoutMark(decodeExactly(bytes));
}

// No character class matches it, so that an invalid byte never counts as a letter.
const BROKEN = '\uDC00';

/** As `decodeText`, but bytes that are not UTF-8 become lone surrogates; undefined only for a file with a NUL. */
export function decodeLoosely(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  const exact = decodeText(bytes);
  return exact ?? withoutMark(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\uFFFD', BROKEN));
}

function withoutMark<T extends string | undefined>(text: T): T {
  return text?.startsWith('\uFEFF') ? (text.slice(1) as T) : text;
}
