/** 1 MiB. */
export const MAX_OUTPUT_BYTES: number = 1024 * 1024;

/** Limits a tool's output in UTF-8 bytes; keeps both ends and says how much is missing between them. */
export function truncateOutput(output: string, maxBytes: number = MAX_OUTPUT_BYTES): string {
  if (output.length * 3 <= maxBytes) return output;
  const bytes = new TextEncoder().encode(output);
  if (bytes.length <= maxBytes) return output;
  const half = Math.floor(maxBytes / 2);
  const head = decode(bytes.subarray(0, atCharacterStart(bytes, half)));
  const tail = decode(bytes.subarray(atCharacterStart(bytes, bytes.length - half)));
  return `${head}\n[... ${bytes.length - 2 * half} bytes of ${bytes.length} cut ...]\n${tail}`;
}

/** The nearest position at or before `index` where a UTF-8 character starts (RFC 3629 section 3). */
function atCharacterStart(bytes: Uint8Array, index: number): number {
  let at = index;
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
