import type { Entry, Unkept } from '../tree/entry.ts';

/** The place of the hash in the text of an entry, for SQL; null where there is none. */
export const HASH_IN_TEXT = '$[2]';

type FileParts = [mode: number, size: number, hash: string | null, why?: Unkept, stamp?: string];

/** An entry as short JSON: nothing is null, a directory its mode, a link its target, a file a list. */
export function entryText(entry: Entry | null): string {
  if (entry === null) return 'null';
  if (entry.kind === 'directory') return JSON.stringify(entry.mode);
  if (entry.kind === 'symlink') return JSON.stringify(entry.target);
  const { mode, size, hash, why, stamp } = entry;
  return JSON.stringify(hash === null ? [mode, size, hash, why, stamp] : [mode, size, hash]);
}

/** The entry of such a text. */
export function entryOf(text: string): Entry | null {
  const parts = JSON.parse(text) as null | number | string | FileParts; // safe: written by `entryText`
  if (parts === null) return null;
  if (typeof parts === 'number') return { kind: 'directory', mode: parts };
  if (typeof parts === 'string') return { kind: 'symlink', target: parts };
  const [mode, size, hash, why, stamp] = parts;
  return { kind: 'file', mode, size, hash, ...(why && { why }), ...(stamp !== undefined && { stamp }) };
}
