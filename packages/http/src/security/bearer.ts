import type { NamedToken } from '../config/server-config.ts';

/** The name of whoever holds the token of an `Authorization` header; every known token is compared, whichever fits. */
export function bearerName(header: string | undefined, tokens: readonly NamedToken[]): string | undefined {
  const [, given = ''] = /^Bearer +([!-~]+) *$/i.exec(header ?? '') ?? [];
  let found: string | undefined;
  for (const { name, token } of tokens) if (isSameText(given, token)) found = name;
  return found;
}

/** Looks at as many characters whatever was given, so that the time does not say which one differs first. */
export function isSameText(given: Pick<string, 'length' | 'charCodeAt'>, known: string): boolean {
  let difference = given.length ^ known.length;
  for (let index = 0; index < known.length; index += 1) {
    difference |= given.charCodeAt(Math.min(index, given.length - 1)) ^ known.charCodeAt(index);
  }
  return difference === 0;
}
