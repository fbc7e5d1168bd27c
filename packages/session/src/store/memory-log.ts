import type { EntryBody } from '../log/entry.ts';
import type { TimedEntry } from '../log/entry-pages.ts';

/** Lines that are packed, and read, at a time. */
const PIECE = 100;

/**
 * The entries of one session in memory: the latest as JSON texts, older ones as bytes outside of the heap once `pack` was called. It shares
 * no objects with anybody.
 */
export class MemoryLog {
  /** One line an entry: milliseconds since 1970, epoch, JSON. */
  #packed: { readonly bytes: Uint8Array; readonly lines: number }[] = [];
  #tail: string[] = [];
  length = 0;
  /** Milliseconds since 1970, of the last entry that was pushed. */
  updatedAt: number = Date.now();

  /** A log that starts with these lines of another, written under no lease. */
  static from(lines: readonly string[]): MemoryLog {
    const log = new MemoryLog();
    log.#tail = lines.map((line) => {
      const { at, json } = partsOf(line);
      return `${at} 0 ${json}`;
    });
    log.length = lines.length;
    return log;
  }

  push(epoch: number, json: string): void {
    this.updatedAt = Date.now();
    this.#tail.push(`${this.updatedAt} ${epoch} ${json}`);
    this.length += 1;
  }

  /** The lines after the first `after`, up to number `upTo`, oldest first. */
  *lines(after: number, upTo: number): Generator<string, void, void> {
    // A copy of the present state, whatever is pushed or packed meanwhile.
    const [packed, tail, last] = [[...this.#packed], this.#tail, Math.min(upTo, this.length)];
    let before = 0;
    for (const { bytes, lines } of packed) {
      const start = before;
      before += lines;
      if (before <= after || start >= last) continue;
      // JSON has no raw line ends, so that a line is an entry.
      yield* new TextDecoder()
        .decode(bytes)
        .split('\n')
        .slice(Math.max(0, after - start), last - start);
    }
    yield* tail.slice(Math.max(0, after - before), Math.max(0, last - before));
  }

  pack(): void {
    for (let from = 0; from < this.#tail.length; from += PIECE) {
      const lines = this.#tail.slice(from, from + PIECE);
      this.#packed.push({ bytes: new TextEncoder().encode(lines.join('\n')), lines: lines.length });
    }
    this.#tail = [];
  }
}

/** Parses a line as the entry it stands for. */
export function entryOfLine(line: string, seq: number): TimedEntry {
  const { at, epoch, json } = partsOf(line);
  return { seq, at, epoch, body: JSON.parse(json) as EntryBody };
}

/** The line of an entry that is written now, under no lease. */
export function lineOf(body: EntryBody): string {
  return `${Date.now()} 0 ${JSON.stringify(body)}`;
}

function partsOf(line: string): { at: number; epoch: number; json: string } {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  return {
    at: Number(line.slice(0, first)),
    epoch: Number(line.slice(first + 1, second)),
    json: line.slice(second + 1),
  };
}
