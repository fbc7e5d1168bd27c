import { ValidationError } from '@x/core';

/** A host from `domain:example.com`; with `*.` only the hosts below it. */
export interface DomainRule {
  readonly host: string;
  readonly belowOnly: boolean;
}

const HOST = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\[[0-9a-f:.]+\]$/;

/** @throws ValidationError */
export function parseDomainRule(text: string): DomainRule {
  if (!text.startsWith('domain:')) {
    throw new ValidationError('for a tool that fetches an address write domain:example.com or domain:*.example.com');
  }
  const named = text.slice('domain:'.length);
  const belowOnly = named.startsWith('*.');
  const host = hostOf(`http://${belowOnly ? named.slice(2) : named}/`);
  const written = (belowOnly ? named.slice(2) : named).toLowerCase();
  // Everything beyond a host (a port, a path, a user) would be dropped, and the rule would mean more than its text.
  if (host === undefined || !HOST.test(host) || /[/:@?#\s\\*%]/.test(written.replace(/^\[.*\]$/, ''))) {
    throw new ValidationError('after domain: comes a host alone, such as example.com or *.example.com');
  }
  return { host, belowOnly };
}

/** For deny and ask: true for the host itself and every host below it. */
export function concerns({ host, belowOnly }: DomainRule, url: string): boolean | undefined {
  const asked = hostOf(url);
  if (asked === undefined) return undefined;
  return asked.endsWith(`.${host}`) || (!belowOnly && asked === host);
}

/** For allow: true for exactly this host, over http or https. */
export function admits({ host, belowOnly }: DomainRule, url: string): boolean {
  const asked = hostOf(url);
  if (asked === undefined || !/^https?:/i.test(url)) return false;
  return belowOnly ? asked.endsWith(`.${host}`) : asked === host;
}

/** The host as a browser reads it: lower case, punycode, no user and no port. Undefined for another scheme, whose host is not defined. */
function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/\.+$/, '');
  return host === '' || !/^(https?|wss?|ftp):$/.test(protocol) ? undefined : host;
}
