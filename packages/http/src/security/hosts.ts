import * as is from '@x/errors/option-rules';
import type { ServerConfig } from '../config/server-config.ts';

/** An entry that no `Host` header has, such as an address or a wildcard, would admit nobody. */
export const HOST: is.OptionRule = is.rule(
  'the name of a host as a request has it, such as tools.example.com, tools.example.com:8443 or [::1]: no scheme, path or wildcard',
  (value) =>
    typeof value === 'string' && /^(?:\[[\da-f:.]+\]|[^:[\]\s/@,*?#.][^:[\]\s/@,*?#]*)(?::\d{1,5})?$/i.test(value),
);
/** Likewise, of the `Origin` header. */
export const ORIGIN: is.OptionRule = is.rule(
  "an origin as a browser sends it, such as https://example.com or http://localhost:5173 (no path, wildcard, capital or port of the scheme), or '*' for all",
  (value) => value === '*' || value === 'null' || (typeof value === 'string' && isOrigin(value)),
);

function isOrigin(value: string): boolean {
  const { protocol, origin } = URL.parse(value) ?? {};
  if (protocol === 'http:' || protocol === 'https:') return origin === value && !value.includes('*');
  return /^[a-z][\d+.a-z-]*:\/\/[^\s/,*?#]+$/.test(value); // an extension, or an app with a browser in it
}

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Says of a `Host` header if it names this server; a name that was made to point here (DNS rebinding) does not. */
export function hostRule({ host, allowedHosts = [] }: ServerConfig): (given: string, port?: number) => boolean {
  const listed = new Set(allowedHosts.map((one) => one.toLowerCase()));
  const own = new Set(['127.0.0.1', 'localhost', '[::1]']);
  if (!['0.0.0.0', '::', '[::]'].includes(host)) own.add(host.includes(':') ? `[${host.replace(/[[\]]/g, '')}]` : host);
  const isOurs = (given: string, port: number | undefined): boolean => {
    const [, name = '', givenPort = '80'] =
      /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(given.toLowerCase()) ?? [];
    if (listed.has(name) || listed.has(given.toLowerCase())) return true;
    return own.has(name) && (port === undefined || Number(givenPort) === port);
  };
  let last: { readonly given: string; readonly port: number | undefined } | undefined; // the same for nearly all requests
  return (given, port) => {
    if (last?.given === given && last.port === port) return true;
    const answer = isOurs(given, port);
    if (answer) last = { given, port };
    return answer;
  };
}

/** Says of an `Origin` header if it may call the server. */
export function originRule({ cors, allowedOrigins = [] }: ServerConfig): (given: string) => boolean {
  const listed = new Set([...allowedOrigins, ...(cors?.enabled ? [cors.origin].flat() : [])]);
  return listed.has('*') ? () => true : (given) => listed.has(given);
}

/** True for an `Origin` of the very host and port that a request is for: a page that this server has served. */
export function isOriginOf(host: string, origin: string | undefined): boolean {
  const given = host.toLowerCase();
  return origin === `http://${given}` || origin === `https://${given}`;
}
