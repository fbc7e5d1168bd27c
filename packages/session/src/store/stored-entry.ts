import type { crc32 as Crc32 } from 'node:zlib';
import type { EntryBody, SessionEntry } from '../log/entry.ts';
import { damaged } from './refusals.ts';

/** A row of a database, by column. */
export type StoredRow = Readonly<Record<string, string | number | bigint | boolean | Uint8Array | null>>;

/** The entry in a row of seq, epoch, at, body and checksum. @throws SessionError `LOG_DAMAGED` when its text has changed since it was written */
export function entryOf(row: StoredRow, sessionId: string): SessionEntry {
  const body = String(row['body']);
  try {
    if (row['checksum'] !== null && row['checksum'] !== checksumOf(Number(row['seq']), body))
      throw new TypeError('Its text is not the one that was written');
    return {
      seq: Number(row['seq']),
      at: new Date(Number(row['at'])).toISOString(),
      epoch: Number(row['epoch']),
      body: JSON.parse(body) as EntryBody,
    };
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
