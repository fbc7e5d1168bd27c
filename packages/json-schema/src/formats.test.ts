import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { formats } from './formats.ts';

const ajv = new Ajv2020.default({ logger: false });
addFormats.default(ajv);

// biome-ignore format: a table
const TEXTS: readonly (readonly [name: string, good: readonly string[], bad: readonly string[]])[] = [
  ['date', ['2024-02-29', '2000-02-29', '2023-04-30'], ['2023-02-29', '1900-02-29', '2023-04-31', '2023-13-01', '2023-00-01', '2023-01-00', '2023-1-1']],
  ['time', ['23:59:60Z', '00:29:60+00:30', '15:59:60-08:00', '10:20:30.5z', '10:20:30+05', '10:20:30-0530'],
    ['23:58:60Z', '10:20:30', '24:00:00Z', '10:60:00Z', '10:20:61Z', '10:20:30+24:00', '10:20:30+00:60', '10:20:30.Z', '10:20:30ZZ']],
  ['iso-time', ['10:20:30', '10:20:30Z'], ['10:20']],
  ['date-time', ['2024-02-29T10:20:30Z', '2024-02-29 10:20:30Z'], ['2024-02-30T10:20:30Z', '2024-02-29T10:20:30', '2024-02-29X10:20:30Z']],
  ['iso-date-time', ['2024-02-29T10:20:30'], ['2024-02-29']],
  ['duration', ['P1Y2M3DT4H5M6S', 'P4W', 'PT1S', 'P1Y1D'], ['P', 'PT', 'P1YT', 'P1D1M', 'P1W1D', 'PT1D', 'P1', '1D', 'PT1S1H', 'P1DT1HT1M']],
  ['uri', ['a:b', 'http://u@[1::2]:80/a?b#c', 'http://[v1.x]', 'x:/'], ['a:', '/a', 'a:%4', 'a:b#c#d', 'http://[1::2::3]', 'http://[::1]x', 'a b:c', '1a:b', 'a:#b']],
  ['uri-reference', ['', '/a', '?a', '#a', '//[::]', 'a:b'], ['\\\\a', 'a b', '%', '#a#b', '[']],
  ['uri-template', ['a{b}', '{+a,b*,c:10}', '{?%41}', ''], ['{', '}', '{}', 'a{b', '{a:0}', '{a:10000}', '{a,}', '{a-b}', '%4', ' ', '{{a}}']],
  ['url', ['http://a.bc', 'https://u:p@a.bc:80/x@y', 'ftp://8.8.8.8', 'http://172.15.0.1', 'http://é.fr', 'http://a/@b.cd'],
    ['http://a', 'gopher://a.bc', 'http://@a.bc', 'http://10.1.1.1', 'http://127.0.0.1', 'http://172.16.0.1', 'http://192.168.0.1', 'http://169.254.0.1',
      'http://224.1.1.1', 'http://0.1.1.1', 'http://1.1.1.0', 'http://1.1.1.255', 'http://a.bc:1', 'http://a--b.cd', 'http://-a.bc', 'http://a.b', 'http://a.bc?x', 'http://a.b1']],
  ['email', ['a.b+c@d-e.fg', "o'k@x.y"], ['a@b', 'a..b@c.de', '.a@b.cd', 'a@b.cd@e.fg', 'a@-b.cd', 'a@b-.cd', 'a b@c.de', '@b.cd']],
  ['hostname', ['a', 'a.b.', 'a-b.c', `${'a'.repeat(63)}.b`], ['', '.', 'a..b', '-a', 'a-', 'a'.repeat(64), `${'ab.'.repeat(84)}ab`, 'a_b']],
  ['ipv4', ['0.0.0.0', '255.255.255.255'], ['256.1.1.1', '01.1.1.1', '1.1.1', '1.1.1.1.1', '1.1.1.']],
  ['ipv6', ['::', '1::', '::1', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::', '::1.2.3.4', '1:2:3:4:5:6:1.2.3.4', 'ABCD::'],
    ['', ':', ':::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', '1:2:3:4:5:6:7::8', '12345::', '1.2.3.4::', '::1.2.3.4:1', '1:2:3:4:5:6:7:1.2.3.4', ':1', '1:', 'g::']],
  ['uuid', ['12345678-9abc-DEF0-1234-123456789abc', 'urn:uuid:12345678-9abc-def0-1234-123456789abc'], ['12345678-9abc-def0-1234-123456789ab', '123456789abcdef01234123456789abc', '']],
  ['json-pointer', ['', '/', '/a~0b/~1'], ['a', '/~', '/~2', '#/a']],
  ['json-pointer-uri-fragment', ['#', '#/a%41~0'], ['', '/a', '#a', '#/%4', '#/~2', '#/a b', '#/?']],
  ['relative-json-pointer', ['0', '1#', '12/a'], ['', '#', '01', '0a', '-1', '1/~']],
  ['byte', ['', 'AAAA', 'AAA=', 'AA==', '!\nAAAA'], ['A', 'AAA', 'A===', '====', '!AAA']],
  ['regex', ['a+', ''], ['(', 'a\\Z']],
];
const DELIBERATE: readonly (readonly [name: string, text: string, ours: boolean])[] = [
  ['time', '24:59:00+01:00', false],
  ['time', '23:60:30+00:01', false],
  ['time', '10:20:59.99999999999999999999Z', true],
  ['url', 'http://a\u3000b.com', false],
  ['url', 'http://1.02.3.4', false],
  ['uri', 'http://[::01.2.3.4]/', false],
  ['uri', 'a:/[::1]', false],
  ['uri-reference', '/a"b', false],
  ['uri-template', 'a\u007f', false],
];
const answers = (name: string, texts: readonly string[]) => texts.map((text) => formats.get(name)?.test?.(text));

describe('formats', () => {
  it.each(TEXTS)('knows a text of %s, and says so as ajv-formats does', (name, good, bad) => {
    const theirs = ajv.compile({ format: name });

    expect(answers(name, good)).toEqual(good.map(() => true));
    expect(answers(name, bad)).toEqual(bad.map(() => false));
    expect([...good, ...bad].map((text) => theirs(text))).toEqual([...good.map(() => true), ...bad.map(() => false)]);
  });

  it.each(DELIBERATE)('follows the RFC and not ajv-formats: %s, %j', (name, text, ours) => {
    expect(answers(name, [text])).toEqual([ours]);
    expect(ajv.compile({ format: name })(text)).toBe(!ours);
  });

  it('takes no text without end', () => {
    expect(answers('json-pointer', ['/'.repeat(65_536), '/'.repeat(65_537)])).toEqual([true, false]);
    expect(answers('regex', ['a'.repeat(16_384), 'a'.repeat(16_385)])).toEqual([true, false]);
  });

  it('knows whole numbers of 32 bits', () => {
    const test = formats.get('int32')?.test;

    expect([2 ** 31 - 1, -(2 ** 31), 2 ** 31, -(2 ** 31) - 1, 1.5].map((value) => test?.(value))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
