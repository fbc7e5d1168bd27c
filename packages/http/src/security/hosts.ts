import type { ServerConfig } from '../config/server-config.ts';

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Says of a `Host` header if it names this server; a name that was made to point here (DNS rebinding) does not. */
export function hostRule({ host, allowedHosts = [] }: ServerConfig): (given: string, port?: number) => boolean {
  const listed = new Set(allowedHosts.map((one) => one.toLowerCase()));
  const own = new Set(['127.0.0.1', 'localhost', '[::1]']);
  const bare = host.replace(/[[\]]/g, '').toLowerCase();
  if (!['0.0.0.0', '::'].includes(bare)) own.add(bare.includes(':') ? `[${bare}]` : bare);
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
