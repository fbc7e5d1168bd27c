import { isIpv4 } from './host-formats.ts';

const SCHEME = /^(?:https?|ftp):\/\//i;
const PORT = /^\d{2,5}$/;
/** Words of letters and digits of any script, joined by single hyphens. */
const LABEL = /^[a-z\d\u00a1-\uffff]+(?:-[a-z\d\u00a1-\uffff]+)*$/iu;
const TOP_LEVEL = /^[a-z\u00a1-\uffff]{2,}$/iu;

/**
 * True for a web address: scheme, anything up to an `@`, a public host, a port, a path. Any `@` may be the one that ends the user, so the
 * host is searched for at the start and after each.
 */
export function isWebUrl(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined || /\s/.test(text)) return false;
  const pieces = text.slice(scheme.length).split('@');
  return pieces.some((piece, at) => {
    if (at === 1 && pieces[0] === '') return false;
    const slash = piece.indexOf('/');
    if (slash < 0) return at === pieces.length - 1 && isPlace(piece);
    return isPlace(piece.slice(0, slash));
  });
}

/** A host with an optional port. */
function isPlace(text: string): boolean {
  const [host, port, ...more] = text.split(':');
  if (host === undefined || more.length > 0 || (port !== undefined && !PORT.test(port))) return false;
  return isIpv4(host) ? isPublic(host.split('.').map(Number)) : isDomain(host);
}

function isDomain(host: string): boolean {
  const labels = host.split('.');
  return labels.length > 1 && TOP_LEVEL.test(labels.at(-1) ?? '') && labels.every((label) => LABEL.test(label));
}

/** Not loopback, link-local (RFC 3927), private (RFC 1918), multicast, or the first or last address of a network. */
function isPublic([first = 0, second = 0, , last = 0]: readonly number[]): boolean {
  if (first < 1 || first > 223 || last < 1 || last > 254) return false;
  if (first === 10 || first === 127) return false;
  if (first === 172) return second < 16 || second > 31;
  return !(first === 192 && second === 168) && !(first === 169 && second === 254);
}
