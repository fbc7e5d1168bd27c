import type { NamedToken } from '../config/server-config.ts';
import { LONGEST_TOKEN } from '../settings/tokens.ts';

/** The name of whoever holds the token of an `Authorization` header; every known token is compared, whichever fits. */
export function bearerName(header: string | undefined, tokens: readonly NamedToken[]): string | undefined {
  const [, given = ''] = /^Bearer +([!-~]+) *$/i.exec(header ?? '') ?? [];
  let found: string | undefined;
  for (const { name, token } of tokens) if (isSameText(given, token)) found = name;
  return found;
}

/** Compares all characters that a token may have, so that the time says nothing about the first one that differs, or the length. */
export function isSameText(one: Pick<string, 'length' | 'charCodeAt'>, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < LONGEST_TOKEN; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index); // beyond the end it is NaN, which counts as 0
  }
  return difference === 0;
}
