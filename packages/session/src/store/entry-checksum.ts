import type { crc32 as Crc32 } from 'node:zlib';

let crc32: typeof Crc32 | undefined;

/** The CRC-32 of an entry: of its text in UTF-8, seeded with its number, so that another entry of the log does not fit either. */
export function checksumOf(seq: number, body: string): number {
  crc32 ??= process.getBuiltinModule('node:zlib').crc32; // asked for here: what never uses a store need not load it
  return crc32(body, seq);
}
