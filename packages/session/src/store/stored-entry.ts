import type { crc32 as Crc32 } from 'node:zlib';
import type { EntryBody, SessionEntry } from '../log/entry.ts';
import { dated, type TimedEntry } from '../log/entry-pages.ts';
import { damaged } from './refusals.ts';

/** A row of a database, by column. */
export type StoredRow = Readonly<Record<string, string | number | bigint | boolean | Uint8Array | null>>;

/** Milliseconds from 1970 to the last time that a `Date` can hold. */
const LATEST = 8.64e15;

/** The entry in a row of seq, epoch, at, body and checksum. @throws SessionError `LOG_DAMAGED` when its text has changed since it was written */
export function entryOf(row: StoredRow, sessionId: string): SessionEntry {
  return dated(timedEntryOf(row, sessionId));
}

/** `entryOf` with the time as a number. @throws SessionError `LOG_DAMAGED`, as `entryOf` */
export function timedEntryOf(row: StoredRow, sessionId: string): TimedEntry {
  const body = String(row['body']);
  const seq = Number(row['seq']);
  const at = Number(row['at']);
  try {
    if (row['checksum'] !== null && row['checksum'] !== checksumOf(seq, body))
      throw new TypeError('Its text is not the one that was written');
    if (!(Math.abs(at) <= LATEST)) throw new TypeError('Its time is not a time');
    return { seq, at, epoch: Number(row['epoch']), body: JSON.parse(body) as EntryBody };
  } catch (cause) {
    throw damaged(`Entry ${String(row['seq'])}`, sessionId, cause);
  }
}

let crc32: typeof Crc32 | undefined;

/** The CRC-32 of an entry: of its text in UTF-8, begun with its number, so that another entry of the log does not fit either. */
export function checksumOf(seq: number, body: string): number {
  crc32 ??= process.getBuiltinModule('node:zlib').crc32; // asked for here: what never uses a store need not load it
  return crc32(body, seq);
}
