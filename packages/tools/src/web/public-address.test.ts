import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

/** One of each kind that is not public. */
const PRIVATE = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '172.15.255.255',
  '223.255.255.255',
];

type Spelling = (bytes: readonly number[]) => string;
const number = (bytes: readonly number[]) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
const pairs = (bytes: readonly number[]) => `${hex(number(bytes.slice(0, 2)), 4)}:${hex(number(bytes.slice(2)), 4)}`;
/** Spellings of one IPv4 address that a URL may have. */
const SPELLINGS: readonly Spelling[] = [
  (bytes) => bytes.join('.'),
  (bytes) => `${bytes.join('.')}.`,
  (bytes) => `${number(bytes)}`,
  (bytes) => `0x${number(bytes).toString(16)}`,
  (bytes) => `0${number(bytes).toString(8)}`,
  (bytes) => bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
  (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
  (bytes) => `${bytes[0]}.${number(bytes.slice(1))}`,
  (bytes) => `${bytes[0]}.${bytes[1]}.${number(bytes.slice(2))}`,
  (bytes) => bytes.join('。'),
  (bytes) => bytes.join('.').replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (bytes) => Array.from(bytes.join('.'), (character) => `%${hex(character.charCodeAt(0), 2)}`).join(''),
  (bytes) => `[::ffff:${bytes.join('.')}]`,
  (bytes) => `[0:0:0:0:0:FFFF:${pairs(bytes)}]`,
  (bytes) => `[64:ff9b::${bytes.join('.')}]`,
];
/** The host that is connected to. */
const hostIn = (url: string) => new URL(url).hostname.replaceAll(/[[\]]/g, '');
const bytesOf = (address: string) => address.split('.').map(Number);
const spelling = fc.constantFrom(...SPELLINGS);
const around = fc.constantFrom(
  (host: string) => `http://${host}/`,
  (host: string) => `https://user:pass@${host}:8080/path`,
  (host: string) => `HTTP:\\\\${host}\\`,
);

describe('isPublicAddress', () => {
  test.prop([fc.constantFrom(...PRIVATE), spelling, around], { numRuns: 1_000 })(
    'refuses what is private however a URL spells it',
    (address, spell, url) => {
      expect(isPublicAddress(hostIn(url(spell(bytesOf(address)))))).toBe(false);
    },
  );

  test.prop([fc.constantFrom(...PUBLIC), spelling, around], { numRuns: 500 })(
    'admits what is public however a URL spells it',
    (address, spell, url) => {
      expect(isPublicAddress(hostIn(url(spell(bytesOf(address)))))).toBe(true);
    },
  );

  test.prop([fc.ipV4(), spelling], { numRuns: 1_000 })('judges an address by its value alone', (address, spell) => {
    expect(isPublicAddress(hostIn(`http://${spell(bytesOf(address))}/`))).toBe(isPublicAddress(address));
  });

  test.prop([fc.ipV6()], { numRuns: 1_000 })('admits of IPv6 only global unicast and what leads to IPv4', (address) => {
    const written = hostIn(`http://[${address}]/`);

    if (isPublicAddress(address)) expect(written).toMatch(/^([23][\da-f]{3}:|64:ff9b::|::ffff:)/);
    expect(isPublicAddress(written)).toBe(isPublicAddress(address));
  });

  it.each(['2606:4700:4700::1111', '2a00:1450:4001::68', '2400::1'])('admits %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '::',
    '::1',
    '::127.0.0.1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2002:7f00:1::',
    '2002:808:808::',
    '3fff::1',
    '64:ff9b:1::808:808',
    '100::1',
    '5f00::1',
    '4000::1',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '',
    'localhost',
    '1.1.1',
    '01.1.1.1',
    '256.1.1.1',
    '1.1.1.1 ',
    ' 1.1.1.1',
    '1.1.1.1.',
    '1.1.1.1/8',
    '::g',
    '1::2::3',
  ])('refuses what is not an address: %j', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});
