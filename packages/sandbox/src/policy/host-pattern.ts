import * as is from '@x/errors/option-rules';

const PATTERN = /^(\*|localhost|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?$/i;

/** Patterns of hosts: no protocols and no paths, which would fit nothing. */
export const hostPatterns: is.OptionRule = is.listOf(
  is.rule(
    "a host such as 'a.com', '*.a.com', '[::1]' or 'a.com:8443', or '*'",
    (value) => typeof value === 'string' && PATTERN.test(value),
  ),
  'a list of hosts',
);

/** True when the pattern is about the host of this address. Letter case and a dot at the end do not count. */
export function fitsHost(pattern: string, { hostname, port, protocol }: URL): boolean {
  const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
  if (only !== undefined && only !== (port || (protocol === 'https:' ? '443' : '80'))) return false;
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)));
}
