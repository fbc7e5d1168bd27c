import { sha256 } from './sha256.ts';

const MAX_LENGTH = 64;
const DIGITS = 8;

/** `mcp__server__tool`, of letters that model APIs take; a longer one keeps its beginning and ends in `_` and digits of its hash. */
export function toolNameOf(serverName: string, name: string): string {
  const whole = `mcp__${serverName}__${name}`;
  const clean = whole.replace(/[^A-Za-z0-9_-]/gu, '_');
  if (clean.length <= MAX_LENGTH) return clean;
  const digits = sha256(whole).slice(0, DIGITS);
  return `${clean.slice(0, MAX_LENGTH - DIGITS - 1)}_${digits}`;
}
