import type { EntryBody, SessionEntry } from '../log/entry.ts';

/**
 * The entries of one session in memory: the latest as JSON texts, older ones as bytes outside of the heap once `pack` was called.
 * Nobody shares objects with the log.
 */
export class MemoryLog {
  /** One line an entry: milliseconds since 1970, epoch, JSON. */
  #packed: Uint8Array[] = [];
  #tail: string[] = [];
  length = 0;

  /** A log that starts with these lines of another. */
  static from(lines: readonly string[]): MemoryLog {
    const log = new MemoryLog();
    log.#tail = [...lines];
    log.length = lines.length;
    return log;
  }

  push(epoch: number, json: string): void {
    this.#tail.push(`${Date.now()} ${epoch} ${json}`);
    this.length += 1;
  }

  /** Every line, oldest first. */
  lines(): string[] {
    // JSON has no raw line ends, so that a line is an entry.
    const older = this.#packed.flatMap((bytes) => new TextDecoder().decode(bytes).split('\n'));
    return [...older, ...this.#tail];
  }

  pack(): void {
    if (this.#tail.length === 0) return;
    this.#packed.push(new TextEncoder().encode(this.#tail.join('\n')));
    this.#tail = [];
  }

  /** ISO 8601, of the last entry. */
  get updatedAt(): string {
    return partsOf(this.#tail.at(-1) ?? this.lines().at(-1) ?? '0 0 {}').at;
  }
}

/** A line as the entry it stands for. */
export function entryOfLine(line: string, seq: number): SessionEntry {
  const { at, epoch, json } = partsOf(line);
  return { seq, at, epoch, body: JSON.parse(json) as EntryBody };
}

/** The line with another body. */
export function lineWithBody(line: string, body: EntryBody): string {
  return line.slice(0, line.length - partsOf(line).json.length) + JSON.stringify(body);
}

function partsOf(line: string): { at: string; epoch: number; json: string } {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  const at = new Date(Number(line.slice(0, first))).toISOString();
  return { at, epoch: Number(line.slice(first + 1, second)), json: line.slice(second + 1) };
}
