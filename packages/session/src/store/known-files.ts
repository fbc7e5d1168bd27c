import { statSync } from 'node:fs';
import type { SessionFiles } from './session-files.ts';

interface Known<T> {
  readonly version: string;
  readonly value: T;
}

/** What the files of a directory hold, read again when they have changed. */
export class KnownFiles<T> {
  #known: ReadonlyMap<string, Known<T>> = new Map();

  /** The values of all files; undefined is left out, and what is not `lasting` is read each time. */
  async all(
    files: SessionFiles,
    read: (path: string) => Promise<T | undefined>,
    isLasting: (value: T) => boolean = () => true,
  ): Promise<T[]> {
    const values: T[] = [];
    const found = new Map<string, Known<T>>();
    for (const path of files.paths()) {
      const version = `${changedAt(path)} ${changedAt(`${path}-wal`)}`;
      const before = this.#known.get(path);
      const value = before?.version === version ? before.value : await read(path);
      if (value === undefined) continue;
      values.push(value);
      if (isLasting(value)) found.set(path, { version, value });
    }
    this.#known = found;
    return values;
  }
}

function changedAt(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
}
