/** The last bytes of a stream, as text. */
export class Tail {
  readonly #maxBytes: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(-this.#maxBytes)]).subarray(-this.#maxBytes);
  }

  get text(): string {
    return this.#bytes.toString('utf8').trim();
  }
}
