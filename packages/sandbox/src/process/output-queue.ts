import type { ProcessOutput } from '@x/core';

// A flood of single bytes must not fill the memory with chunk objects.
const LEAST_COST = 1024;

/** Chunks for one reader, in the order of arrival; `onFull` and `onRoom` are called when the limit is crossed. */
export class OutputQueue {
  readonly #maxBytes: number;
  readonly #onFull: () => void;
  readonly #onRoom: () => void;
  #chunks: ProcessOutput[] = [];
  #bytes = 0;
  #full = false;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor({ maxBytes, onFull, onRoom }: { maxBytes: number; onFull: () => void; onRoom: () => void }) {
    this.#maxBytes = maxBytes;
    this.#onFull = onFull;
    this.#onRoom = onRoom;
  }

  /** Bytes that wait to be read; a small chunk counts as 1 KiB. */
  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: ProcessOutput): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#bytes += costOf(chunk);
    if (!this.#full && this.#bytes >= this.#maxBytes) {
      this.#full = true;
      this.#onFull();
    }
    this.#wake?.();
  }

  /** Ends the queue; waiting chunks can still be taken. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Drops unread chunks. */
  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  /** The oldest chunk, as soon as there is one; undefined at the end. For one reader at a time. */
  async take(): Promise<ProcessOutput | undefined> {
    while (this.#chunks.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    const chunk = this.#chunks.shift();
    if (chunk) this.#bytes -= costOf(chunk);
    if (this.#full && this.#bytes < this.#maxBytes / 2) {
      this.#full = false;
      this.#onRoom();
    }
    return chunk;
  }
}

function costOf(chunk: ProcessOutput): number {
  return Math.max(LEAST_COST, chunk.bytes.length);
}
