import { canonicalJson } from './canonical-json.ts';

/** SHA-256 (hex) of the canonical text of a JSON value; undefined for a value that JSON would change. */
export async function sha256OfJson(value: unknown): Promise<string | undefined> {
  const text = canonicalJson(value);
  if (text === undefined) return undefined;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
