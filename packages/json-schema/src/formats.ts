import { isEmail, isHostname, isIpv4, isIpv6 } from './host-formats.ts';
import { isJsonPointer, isPointerFragment, isRelativePointer } from './pointer-formats.ts';
import { isDate, isDateTime, isDuration, isTime } from './time-formats.ts';
import { isUri, isUriReference, isUriTemplate } from './uri-formats.ts';
import { isWebUrl } from './web-url.ts';

/** A named format; without a test it is only an annotation. */
export interface Format {
  readonly kind: 'string' | 'number';
  readonly test?: (value: unknown) => boolean;
}

const MAX_TEXT = 65_536;
const MAX_PATTERN = 16_384;
const MIN_INT32 = -(2 ** 31);
const MAX_INT32 = 2 ** 31 - 1;
/** RFC 9562 section 4, and its `urn:uuid:` form. */
const UUID = /^(?:urn:uuid:)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The formats of ajv-formats, in its full mode and with its results. A text of more than 65,536 characters (16,384 for `regex`) matches
 * none of them. The RFCs decide where ajv contradicts them without benefit:
 *
 * - times (RFC 3339): no hour above 23 and no minute above 59, in no zone; any number of decimals of a second, 60 included
 * - `url`: no white space in a host, no leading zeros in an address, no other `s` in `https`
 * - `uri`, `uri-reference` (RFC 3986): no leading zeros in `[::1.2.3.4]`, no `[...]` after a single slash, no `"`
 * - `uri-template` (RFC 6570): no control character 127
 */
export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date', text(isDate)],
  ['time', text((value) => isTime(value, true))],
  ['date-time', text((value) => isDateTime(value, true))],
  ['iso-time', text((value) => isTime(value, false))],
  ['iso-date-time', text((value) => isDateTime(value, false))],
  ['duration', text(isDuration)],
  ['uri', text(isUri)],
  ['uri-reference', text(isUriReference)],
  ['uri-template', text(isUriTemplate)],
  ['url', text(isWebUrl)],
  ['email', text(isEmail)],
  ['hostname', text(isHostname)],
  ['ipv4', text(isIpv4)],
  ['ipv6', text(isIpv6)],
  ['regex', text(isPattern)],
  ['uuid', text((value) => UUID.test(value))],
  ['json-pointer', text(isJsonPointer)],
  ['json-pointer-uri-fragment', text(isPointerFragment)],
  ['relative-json-pointer', text(isRelativePointer)],
  ['byte', text(isBase64)],
  ['int32', { kind: 'number', test: isInt32 }],
  ['int64', { kind: 'number', test: Number.isInteger }],
  ['float', { kind: 'number' }],
  ['double', { kind: 'number' }],
  ['password', { kind: 'string' }],
  ['binary', { kind: 'string' }],
]);

function text(test: (value: string) => boolean): Format {
  return { kind: 'string', test: (value) => (value as string).length <= MAX_TEXT && test(value as string) };
}

function isInt32(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= MIN_INT32 && (value as number) <= MAX_INT32;
}

function isPattern(value: string): boolean {
  if (value.length > MAX_PATTERN) return false;
  if (/[^\\]\\Z/.test(value)) return false;
  try {
    new RegExp(value);
    return true;
  } catch {
    return false;
  }
}

/** One line of base64 is enough. */
function isBase64(value: string): boolean {
  return value.split(/[\n\r\u2028\u2029]/).some((line) => {
    if (line.length % 4 !== 0) return false;
    return /^[A-Za-z0-9+/]*={0,2}$/.test(line);
  });
}
