const LINE_FEED = 10;

/** Cuts bytes into lines, and ends at one that is too long. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #hasEnded = false;

  constructor(maxBytes: number, { onLine, onTooLong }: { onLine: (line: string) => void; onTooLong: () => void }) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    while (!this.#hasEnded) {
      const end = chunk.indexOf(LINE_FEED, start);
      const part = chunk.subarray(start, end < 0 ? undefined : end);
      this.#parts.push(part);
      this.#bytes += part.length;
      if (this.#bytes > this.#maxBytes) return this.#end();
      if (end < 0) return;
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#clear();
      this.#onLine(line);
      start = end + 1;
    }
  }

  #end(): void {
    this.#hasEnded = true;
    this.#clear();
    this.#onTooLong();
  }

  #clear(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
