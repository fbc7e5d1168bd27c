import * as is from '@x/errors/option-rules';

/** Refuses what no `Host` header has, such as a URL or a wildcard: it would admit nobody. */
export const HOST: is.OptionRule = is.rule(
  'the name of a host as a request has it, such as tools.example.com, tools.example.com:8443 or [::1]: no scheme, path or wildcard, in ASCII',
  (value) => typeof value === 'string' && /^(?:\[[\da-f:.]+\]|\w[\w.-]*)(?::\d{1,5})?$/i.test(value),
);
/** Refuses what no `Origin` header has (RFC 6454, section 7). */
export const ORIGIN: is.OptionRule = is.rule(
  "an origin as a browser sends it, such as https://example.com or http://localhost:5173 (no path, wildcard, capital or port of the scheme), or '*' for all",
  (value) => value === '*' || value === 'null' || (typeof value === 'string' && isOrigin(value)),
);

function isOrigin(value: string): boolean {
  const { protocol, origin } = URL.parse(value) ?? {};
  if (protocol === 'http:' || protocol === 'https:') return origin === value && !value.includes('*');
  return /^[a-z][\d+.a-z-]*:\/\/[^\s/,*?#]+$/.test(value); // an extension, or an app with a browser in it
}
