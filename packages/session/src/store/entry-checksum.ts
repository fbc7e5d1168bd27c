/** The CRC-32 of an entry: of its text in UTF-8, begun with its number, so that another entry of the log does not fit either. */
export function checksumOf(seq: number, body: string): number {
  return process.getBuiltinModule('node:zlib').crc32(body, seq); // asked for here: what never uses a store need not load it
}
