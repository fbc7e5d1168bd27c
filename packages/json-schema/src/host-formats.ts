/** Hosts by name and by number, and the mail addresses at them. */

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[\da-f]{1,4}$/i;
const GROUPS = 8;
const LABEL = /^(?!-)[a-z\d-]+(?<!-)$/i;
const MAX_LABEL = 63;
const MAX_HOSTNAME = 253;
const ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+$/;

/** Four numbers up to 255 without leading zeros: `IPv4address` of RFC 3986 section 3.2.2. */
export function isIpv4(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
}

/** RFC 4291 section 2.2: eight groups, or fewer with one `::` for the zeros left out; the last two may be an IPv4 address. */
export function isIpv6(text: string): boolean {
  const [before, after, ...more] = text.split('::');
  if (before === undefined || more.length > 0) return false;
  if (after === undefined) return groupsIn(before, true) === GROUPS;
  return groupsIn(before, false) + groupsIn(after, true) < GROUPS;
}

/** Number of groups in a text; NaN for any other text. */
function groupsIn(text: string, mayEndInIpv4: boolean): number {
  if (text === '') return 0;
  const groups = text.split(':');
  const last = mayEndInIpv4 && isIpv4(groups.at(-1) ?? '') ? groups.pop() : undefined;
  if (!groups.every((group) => GROUP.test(group))) return NaN;
  return groups.length + (last === undefined ? 0 : 2);
}

/** RFC 1123 section 2.1 and RFC 1034 section 3.1; a dot at the end is the root. */
export function isHostname(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  if (name.length > MAX_HOSTNAME) return false;
  return name.split('.').every((label) => label.length <= MAX_LABEL && LABEL.test(label));
}

/** `Dot-string "@" Domain` of RFC 5321 section 4.1.2, with a domain of two names or more. */
export function isEmail(text: string): boolean {
  const [mailbox, domain, ...more] = text.split('@');
  if (mailbox === undefined || domain === undefined || more.length > 0) return false;
  const names = domain.split('.');
  return (
    mailbox.split('.').every((atom) => ATOM.test(atom)) && names.length > 1 && names.every((name) => LABEL.test(name))
  );
}
