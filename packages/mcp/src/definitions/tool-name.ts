import { sha256 } from './sha256.ts';

const MAX_LENGTH = 64;
const DIGITS = 8;

/**
 * True for a server some of whose tools may be named as those of another one. Names of servers have no `__`, and no `_` at either end, so the
 * first `__` behind `mcp__` is the end of the server's name, in every name that keeps it: that of another server differs before.
 */
export function toolNamesMayMeet(serverName: string): boolean {
  return `mcp__${serverName}__`.length > MAX_LENGTH - DIGITS - 1;
}

/** `mcp__server__tool`, of letters that model APIs take; a longer one keeps its beginning and ends in `_` and digits of its hash. */
export function toolNameOf(serverName: string, name: string): string {
  const whole = `mcp__${serverName}__${name}`;
  const clean = whole.replace(/[^A-Za-z0-9_-]/gu, '_');
  if (clean.length <= MAX_LENGTH) return clean;
  const digits = sha256(whole).slice(0, DIGITS);
  return `${clean.slice(0, MAX_LENGTH - DIGITS - 1)}_${digits}`;
}
