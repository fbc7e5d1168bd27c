/** A piece of a body, and its time. */
export interface TimedChunk {
  readonly bytes: Buffer;
  readonly atMs: number;
}
/** A range of bytes of the whole body, without `end`, and the text that replaces it. */
export interface ByteEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits, which are in order and do not overlap, to a body in pieces. The boundaries between pieces stay; the text of an edit goes
 * into the piece in which it begins. Empty pieces are left out.
 */
export function editChunks(chunks: readonly TimedChunk[], edits: readonly ByteEdit[]): readonly TimedChunk[] {
  let offset = 0;
  return chunks.flatMap(({ bytes, atMs }) => {
    const parts: Buffer[] = [];
    let at = offset;
    const end = offset + bytes.length;
    for (const edit of edits) {
      if (edit.end <= at || edit.start >= end) continue;
      if (edit.start > at) parts.push(bytes.subarray(at - offset, edit.start - offset));
      if (edit.start >= offset) parts.push(Buffer.from(edit.text));
      at = Math.min(edit.end, end);
    }
    parts.push(bytes.subarray(at - offset));
    offset = end;
    const edited = Buffer.concat(parts);
    return edited.length === 0 ? [] : [{ bytes: edited, atMs }];
  });
}
