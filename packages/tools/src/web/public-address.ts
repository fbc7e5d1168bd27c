type Range = readonly [first: string, bits: number];

/** IANA IPv4 Special-Purpose Address Registry, multicast, and 168.63.129.16, where Azure keeps services for its own machines. */
const NOT_PUBLIC_4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
/** RFC 4291: the only addresses that are routed everywhere. */
const GLOBAL_6: Range = ['2000::', 3];
/** Exceptions to these: Teredo and other protocols, documentation, 6to4, which leads to the IPv4 address it contains. */
const NOT_PUBLIC_6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];
/** These lead to the IPv4 address in the last 32 bits: IPv4-mapped, and NAT64 (RFC 6052). */
const LEADING_TO_4: readonly Range[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/** True for an IP address of the public internet; false for one that is private, special or invalid. */
export function isPublicAddress(address: string): boolean {
  const bits = bitsOf(address);
  if (bits === undefined) return false;
  if (bits.length === 32) return !NOT_PUBLIC_4.some((range) => isIn(bits, range));
  if (LEADING_TO_4.some((range) => isIn(bits, range))) return isPublicAddress(dotted(bits.slice(-32)));
  return isIn(bits, GLOBAL_6) && !NOT_PUBLIC_6.some((range) => isIn(bits, range));
}

function isIn(bits: string, [first, length]: Range): boolean {
  return bitsOf(first)?.slice(0, length) === bits.slice(0, length);
}

/** 32 or 128 digits; undefined for what is not an address in its usual spelling. */
function bitsOf(address: string): string | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) {
    const bytes = address.split('.').map(Number);
    return bytes.join('.') === address && bytes.every((byte) => byte < 256) ? digits(bytes, 8) : undefined;
  }
  if (!/^[\da-f:.]+$/i.test(address) || !URL.canParse(`http://[${address}]/`)) return undefined;
  // The URL parser produces groups of at most four digits and at most one gap.
  const [before = '', after] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [start, end] = [groupsOf(before), groupsOf(after ?? '')];
  return digits([...start, ...Array<number>(8 - start.length - end.length).fill(0), ...end], 16);
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function digits(numbers: readonly number[], length: number): string {
  return numbers.map((number) => number.toString(2).padStart(length, '0')).join('');
}

function dotted(bits: string): string {
  return [0, 8, 16, 24].map((at) => Number.parseInt(bits.slice(at, at + 8), 2)).join('.');
}
