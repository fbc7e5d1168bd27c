// Formats against ajv-formats, on texts made of their own pieces; and hostile texts of 60,000 characters, each answered twenty
// times sooner than by a pattern that is quadratic, the control. Control of the first: a format that takes everything must differ.
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formats } from '../src/formats.ts';
import { pick, randomFrom } from './support/random-schemas.ts';

const TEXTS = 20_000;
const LENGTH = 60_000;
/** By what the slowest format must be faster than a quadratic one in the same run: milliseconds are the machine's affair. */
const LEAST_GAIN = 20;
const SOON_MS = 5;
const MOST_TRIES = 8;
// biome-ignore format: pieces of texts
const PIECES = ['a', 'b', 'Z', '0', '1', '9', '10', '127', '169.254', '192.168', '2024', '02', '29', '12', '30', '60', '23', '59', '+', '-', ':', '.', '/', '//',
  'http:', 'https://', 'ftp://', '@', '?', '#', '%41', '%', '~0', '~1', '~', '{', '}', '{a}', ',', '*', '[', ']', '::', 'fe80', 'f', 'T', 't', 'z', 'Z', 'P', 'Y',
  'D', 'W', 'S', 'urn:uuid:', '12345678-1234-1234-1234-123456789012', '=', '==', 'AAAA', '\n', '\r', ' ', '\u3000', 'é', '\u{1f600}', '(', ')', '\\', '\\Z', '|', '_', '!', '&',
  '2024-02-29', '23:59:60', '10:20:30', '.5', 'a@b.cd', 'example.com', '1.2.3.4', '1::2', '/a/b', ''];
const STARTS = [
  '',
  'http://',
  'http://a',
  'http://a@',
  'a@',
  'a',
  'P',
  '/',
  '#',
  '0/',
  '{',
  'a:',
  '//',
  'http://1.',
  'https://[',
  'urn:uuid:',
];
// biome-ignore format: pieces of texts
const REPEATED = ['a', 'a:', 'a.', 'a-', '-a', '1', '1.', '%41', '/', '/a', '~0', '~', '{a}', '{a,', 'a,', '::', 'f:', '1:', '[', '@', 'a@', '@a', '=', 'AAAA', '\n',
  'AAAA\n', 'P1', '(', '(a', '[a', '\\', 'T1', 'é', '?a', '#a', ':a@', '\u3000', 'a\u3000'];

/** One of each, to be spoilt by single characters. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  date: ['2024-02-29', '1900-02-28', '2023-11-30'],
  time: ['23:59:60Z', '10:20:30.123+05:30', '00:29:60+00:30'],
  'date-time': ['2024-02-29T23:59:60z', '2024-12-31 10:20:30-0130'],
  'iso-time': ['23:59:60', '10:20:30+05'],
  'iso-date-time': ['2024-02-29T10:20:30.5'],
  duration: ['P1Y2M3DT4H5M6S', 'P12W', 'PT1S', 'P1D'],
  uri: ['http://u:p@[1::2:3]:80/a%41?b=/#c', 'a:b', 'http://[v1.a:b]/', 'file:///a/b', 'x://a:1/2'],
  'uri-reference': ['//u@[::1.2.3.4]:80/a?b#c', '/a/b', '?a', '#a', '', 'a:b%41'],
  'uri-template': ['http://a/{b}{?c:10,d*}{#e%41}/f', '{+a,b}', '{,a}'],
  url: ['http://u:p@example.com:80/a@b', 'https://1.2.3.4/', 'ftp://a-b.cé/x', 'http://172.15.0.1', 'http://é.com'],
  email: ['a.b+c@d-e.fg', 'A!#$@x.y.z'],
  hostname: ['a-b.c.', `${'a'.repeat(63)}.b`, `${'ab.'.repeat(84)}a`],
  ipv4: ['1.2.3.4', '255.0.10.199'],
  ipv6: ['1:2:3:4:5:6:7:8', '::1.2.3.4', '1::8', 'a:b:c:d:e:f:1.2.3.4', '1:2:3:4:5:6:7::', '1:2:3:4:5::1.2.3.4', '::'],
  uuid: ['urn:uuid:12345678-9abc-def0-1234-123456789ABC', '12345678-9abc-def0-1234-123456789abc'],
  'json-pointer': ['/a~0/~1b//c'],
  'json-pointer-uri-fragment': ['#/a~0/%41/~1', '#'],
  'relative-json-pointer': ['0#', '12/a~0', '1'],
  byte: ['AAAA', 'AAA=', 'AA==', 'AAAA\nA'],
};
const SPOILS = 4_000;
/**
 * Where the RFCs decide and not ajv-formats, which takes all of these but the last two of `time`: an hour of 24 or a minute of 60 in
 * another zone, a fraction that rounds up, white space in a host, leading zeros in an address, quotation marks, an authority after one slash.
 */
const DELIBERATE: readonly (readonly [name: string, text: string, ours: boolean])[] = [
  ['time', '24:59:00+01:00', false],
  ['time', '23:60:30+00:01', false],
  ['time', '10:20:59.99999999999999999999Z', true],
  ['time', '23:59:60.99999999999999999999Z', true],
  ['date-time', '2024-01-01T24:59:00+01:00', false],
  ['url', 'http://a\u3000b.com', false],
  ['url', 'http://1.02.3.4', false],
  ['url', 'http\u017f://a.com', false],
  ['uri', 'http://[::01.2.3.4]/', false],
  ['uri', 'a:/[::1]', false],
  ['uri-reference', '/a"b', false],
  ['uri-reference', '/[::1]', false],
  ['uri-template', 'a\u007f', false],
];

const ajv = new Ajv2020.default({ logger: false });
addFormats.default(ajv);
const random = randomFrom(7);
const texts = Array.from({ length: TEXTS }, () =>
  Array.from({ length: 1 + Math.floor(random() * 7) }, () => pick(random, PIECES)).join(''),
);

let differences = 0;
let compared = 0;
let accepted = 0;
let deliberate = 0;
const lenient: string[] = [];
for (const [name, { kind, test = () => true }] of formats) {
  const theirs = ajv.compile({ format: name });
  const values: unknown[] =
    kind === 'string' ? texts : [0, 1.5, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) - 1, 2 ** 60, 1e300];
  let caught = false;
  for (const value of [...values, ...spoilt(EXAMPLES[name] ?? [])]) {
    compared++;
    const expected = theirs(value);
    if (expected) accepted++;
    else caught = true;
    if (test(value) === expected) continue;
    if (isDeliberate(name, String(value))) {
      deliberate++;
      continue;
    }
    differences++;
    if (differences <= 10)
      console.log(`DIFFERENT ${name}: ${JSON.stringify(value)} is ${expected ? 'valid' : 'invalid'}`);
  }
  if (!caught) lenient.push(name);
}
console.log(
  `${compared} pairs of ${formats.size} formats, ${accepted} valid, ${differences} differences, ${deliberate} deliberate ones; take everything: ${lenient.join(', ')}`,
);
for (const [name, text, ours] of DELIBERATE) {
  const [our, their] = [formats.get(name)?.test?.(text), ajv.compile({ format: name })(text)];
  if (our === ours && their === !ours) continue;
  differences++;
  console.log(`NOT AS LISTED ${name}: ${JSON.stringify(text)}, we ${our}, ajv-formats ${their}`);
}

let slowest = { ms: 0, what: '' };
for (const [name, { kind, test }] of formats) {
  if (!test || kind === 'number') continue;
  for (const start of STARTS) {
    for (const piece of REPEATED)
      slowest = slower(slowest, timed(test, name, start + piece.repeat(LENGTH / piece.length)));
  }
}
const control = timed((text) => /^\S+(?::\S*)?@$/.test(text as string), 'control', 'a:'.repeat(LENGTH / 2));
console.log(`slowest ${slowest.ms.toFixed(1)} ms (${slowest.what}); the quadratic control ${control.ms.toFixed(0)} ms`);
const isFine = differences === 0 && lenient.length === 4 && slowest.ms * LEAST_GAIN < control.ms;
console.log(isFine ? 'ok' : 'FAILED');
process.exitCode = isFine ? 0 : 1;

/** Texts with up to three characters left out, put in, replaced or doubled. */
function spoilt(examples: readonly string[]): string[] {
  const alphabet = [
    ...new Set([...[...examples, ...PIECES].join('').split(''), '"', '<', '\u007f', '\u0080', '\ud800', '\u2028']),
  ];
  return Array.from({ length: examples.length === 0 ? 0 : SPOILS }, () => {
    let text = pick(random, examples);
    for (let spoils = Math.floor(random() * 4); spoils > 0; spoils--) {
      const at = Math.floor(random() * (text.length + 1));
      const put = random() < 0.3 ? '' : random() < 0.3 ? text.slice(at, at + 3).repeat(2) : pick(random, alphabet);
      text = text.slice(0, at) + put + text.slice(at + Math.floor(random() * 3));
    }
    return text;
  });
}

/** Texts of the kinds in the list of deliberate differences. */
function isDeliberate(name: string, text: string): boolean {
  if (/time/.test(name)) return /24:|:60|\.\d{15}/.test(text);
  if (name === 'url') return /[^\S ]|\b0\d|\u017f/.test(text);
  if (name === 'uri') return /^[^/]*\/[^/]*\[|\[.*\b0+\d*\.|\.0+\d/.test(text);
  if (name === 'uri-reference') return /"|^[^/]*\/[^/]*\[|\[.*\b0+\d*\.|\.0+\d/.test(text);
  return name === 'uri-template' && text.includes('\u007f');
}

/** With and without an end that spoils it; the best of a few, as a busy machine may pause any. */
function timed(test: (value: unknown) => boolean, name: string, text: string): { ms: number; what: string } {
  let ms = 0;
  for (const end of ['', '!', ' ']) {
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < MOST_TRIES && best > SOON_MS; tries += 1)
      best = Math.min(best, clocked(test, text + end));
    ms = Math.max(ms, best);
  }
  return { ms, what: `${name}, ${JSON.stringify(text.slice(0, 20))}...` };
}

function clocked(test: (value: unknown) => boolean, text: string): number {
  const started = performance.now();
  test(text);
  return performance.now() - started;
}

function slower(one: { ms: number; what: string }, other: { ms: number; what: string }) {
  return other.ms > one.ms ? other : one;
}
