import type { NamedToken } from '../config/server-config.ts';

/** Characters of a token. */
export const LONGEST_TOKEN = 512;

/** `token`, whose name is `default`, and `tokens`. */
export function tokensOf(options: { token?: string; tokens?: readonly NamedToken[] }): readonly NamedToken[] {
  const own = options.token === undefined ? [] : [{ name: 'default', token: options.token }];
  return [...own, ...(options.tokens ?? [])];
}
