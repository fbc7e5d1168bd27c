import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskStep } from './disk-recording.ts';

type Pending = Extract<DiskStep, { kind: 'write' | 'truncate' }>;
/** Which of the writes that no fsync has asked for have reached the disk. */
export type Fate = 'none' | 'all' | 'the first' | 'any' | 'any sectors';

const SECTOR = 512;

/** A disk that keeps what was synced, and of the rest whatever it likes. */
export class CrashDisk {
  readonly #kept = new Map<string, Buffer>();
  readonly #pending = new Map<string, Pending[]>();

  step(step: DiskStep): void {
    if (step.kind === 'write' || step.kind === 'truncate') {
      const pending = this.#pending.get(step.file) ?? [];
      this.#pending.set(step.file, [...pending, step]);
    } else if (step.kind === 'sync') {
      this.#keep(step.file, this.#pending.get(step.file) ?? []);
      this.#pending.delete(step.file);
    } else if (step.kind === 'unlink') {
      // SQLite syncs the directory of a journal that it removes.
      this.#kept.delete(step.file);
      this.#pending.delete(step.file);
    }
  }

  /** Writes that are on their way. */
  get pending(): number {
    return [...this.#pending.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Writes the files as a cut at this moment may leave them. */
  async cut(folder: string, fate: Fate, random: () => number): Promise<void> {
    const left = new CrashDisk();
    for (const [file, bytes] of this.#kept) left.#kept.set(file, bytes);
    for (const [file, pending] of this.#pending) {
      const survivors = survivorsOf(pending, fate, random);
      if (survivors.length > 0) left.#keep(file, survivors);
    }
    for (const [file, bytes] of left.#kept) await writeFile(join(folder, file), bytes);
  }

  #keep(file: string, steps: readonly Pending[]): void {
    let bytes = Buffer.from(this.#kept.get(file) ?? []);
    for (const step of steps) {
      const end = step.kind === 'truncate' ? step.length : Math.max(bytes.length, step.at + step.bytes.length);
      if (end !== bytes.length) bytes = Buffer.concat([bytes.subarray(0, end)], end);
      if (step.kind === 'write') step.bytes.copy(bytes, step.at);
    }
    this.#kept.set(file, bytes);
  }
}

function survivorsOf(pending: readonly Pending[], fate: Fate, random: () => number): readonly Pending[] {
  if (fate === 'none') return [];
  if (fate === 'all') return pending;
  if (fate === 'any') return pending.filter(() => random() < 0.5);
  if (fate === 'any sectors') return pending.flatMap((step) => sectorsOf(step).filter(() => random() < 0.5));
  const whole = Math.floor(random() * pending.length);
  const torn = sectorsOf(pending[whole]!);
  return [...pending.slice(0, whole), ...torn.slice(0, Math.floor(random() * torn.length))];
}

function sectorsOf(step: Pending): Pending[] {
  if (step.kind === 'truncate') return [step];
  const sectors: Pending[] = [];
  for (let from = 0; from < step.bytes.length; ) {
    const to = Math.min(step.bytes.length, from + SECTOR - ((step.at + from) % SECTOR));
    sectors.push({ ...step, at: step.at + from, bytes: step.bytes.subarray(from, to) });
    from = to;
  }
  return sectors;
}
