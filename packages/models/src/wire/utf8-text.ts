const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Bytes as text, in pieces, as `TextDecoder` gives it (WHATWG Encoding 8.1). Pieces that end in an ASCII character, as those of event
 * streams do, leave nothing open between them: for these no decoder is made, which costs more than reading a short answer.
 */
export class Utf8Text {
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #hasBegun = false;

  /** The text that is complete with this piece; undefined is the end. */
  push(piece: Buffer | undefined): string {
    const text = this.#decoded(piece);
    if (this.#hasBegun || text === '') return text;
    this.#hasBegun = true;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  #decoded(piece: Buffer | undefined): string {
    if (!this.#decoder && (piece?.at(-1) ?? 0) <= 0x7f) return piece?.toString('utf8') ?? '';
    // It keeps the mark: that of Node also drops one behind a broken byte when a cut is between them.
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.#decoder.decode(piece, { stream: piece !== undefined });
  }
}
