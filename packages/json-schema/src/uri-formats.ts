/** Names by the grammars of RFC 3986 and 6570. Each text is cut at the delimiters first; a part is read by one class of characters. */
import { isIpv6 } from './host-formats.ts';

const SCHEME = /^[a-z][a-z\d+.-]*:/i;
/** `pchar` and the slashes between segments. */
const PATH = /^[\w.~!$&'()*+,;=:@/%-]*$/;
/** `query`, and `fragment` which is the same. */
const QUERY = /^[\w.~!$&'()*+,;=:@/?%-]*$/;
/** An authority that is unlike a path: user, address in brackets, port; then the path. */
const BRACKETED = /^\/\/(?:[\w.~!$&'()*+,;=:%-]*@)?\[([^\]]*)\](?::\d*)?((?:\/.*)?)$/;
const FUTURE_ADDRESS = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
/** `literals` of RFC 6570 section 2.1. */
const LITERALS = /^[!#$%&(-;=?-[\]_a-z~\u0080-\uffff]*$/;
const OPERATOR = /^[+#./;?&=,!@|]/;
const VARIABLE = /^[\w%]+(?::[1-9]\d{0,3}|\*)?$/;

/** True when a text has a `%` that does not begin a `pct-encoded` octet. */
export function hasLonePercent(text: string): boolean {
  return /%(?![\da-f]{2})/i.test(text);
}

/** `URI` of RFC 3986 section 3, with a path or an authority. */
export function isUri(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[0];
  return scheme !== undefined && !/^(?:[?#]|$)/.test(text.slice(scheme.length)) && isUriReference(text);
}

/** `URI-reference` of RFC 3986 section 4.1; a colon in the first segment is accepted. */
export function isUriReference(text: string): boolean {
  if (hasLonePercent(text)) return false;
  const [rest, fragment] = cut(text, '#');
  const [named, query] = cut(rest, '?');
  const place = named.replace(SCHEME, '');
  return QUERY.test(fragment) && QUERY.test(query) && (PATH.test(place) || isBracketed(place));
}

function isBracketed(place: string): boolean {
  const [, address, path] = BRACKETED.exec(place) ?? [];
  if (address === undefined || path === undefined) return false;
  return PATH.test(path) && (isIpv6(address) || FUTURE_ADDRESS.test(address));
}

/** `URI-Template` of RFC 6570 section 2; the names of variables are without dots. */
export function isUriTemplate(text: string): boolean {
  if (hasLonePercent(text)) return false;
  const [start, ...others] = text.split('{');
  if (start === undefined || !LITERALS.test(start)) return false;
  return others.every((other) => {
    const end = other.indexOf('}');
    return end > 0 && isExpression(other.slice(0, end)) && LITERALS.test(other.slice(end + 1));
  });
}

function isExpression(text: string): boolean {
  return text
    .replace(OPERATOR, '')
    .split(',')
    .every((variable) => VARIABLE.test(variable));
}

/** The text before and after the first occurrence of a delimiter. */
function cut(text: string, delimiter: string): [before: string, after: string] {
  const at = text.indexOf(delimiter);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
