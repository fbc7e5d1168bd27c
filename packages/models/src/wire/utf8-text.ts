const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Decodes bytes in pieces, like `TextDecoder` (WHATWG Encoding 8.1). Pieces that end in an ASCII character, as in event streams, leave
 * nothing open between them: these need no decoder, which costs more than reading a short answer.
 */
export class Utf8Text {
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #hasBegun = false;

  /** The text that is complete with this piece; undefined marks the end. */
  push(piece: Buffer | undefined): string {
    const text = this.#decoded(piece);
    if (this.#hasBegun || text === '') return text;
    this.#hasBegun = true;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  #decoded(piece: Buffer | undefined): string {
    if (!this.#decoder && (piece?.at(-1) ?? 0) <= 0x7f) return piece?.toString('utf8') ?? '';
    // It keeps the mark: Node's decoder also drops one after a broken byte when a cut is between them.
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.#decoder.decode(piece, { stream: piece !== undefined });
  }
}
