/** A piece of a body, and when it came. */
export interface TimedChunk {
  readonly bytes: Buffer;
  readonly atMs: number;
}
/** Bytes of the whole body, `end` not among them, and what stands in their place. */
export interface ByteEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A body in pieces with edits made, which are in order and do not overlap. What was between two pieces stays between them; the
 * text of an edit stands in the piece in which it begins. A piece of which nothing is left is left out.
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
