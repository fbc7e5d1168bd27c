import { checkOptions } from '@x/errors/option-rules';
import { describe, expect, it } from 'vitest';
import { fitsHost, hostPatterns } from './host-pattern.ts';

const taken = (pattern: unknown) => {
  try {
    checkOptions('options', { hosts: [pattern] }, { hosts: hostPatterns });
    return true;
  } catch {
    return false;
  }
};

describe('hostPatterns', () => {
  it.each(['a.com', 'A.com', '*.a.com', '*', 'localhost', 'localhost:80', '127.0.0.1:8080', '[::1]', '[::1]:443'])(
    'take %s',
    (pattern) => expect(taken(pattern)).toBe(true),
  );

  it.each([
    'https://a.com',
    'a.com/path',
    'a.com.',
    '.a.com',
    'a*.com',
    '*a.com',
    '**.a.com',
    'com',
    '::1',
    'a.com:0',
    'a.com:*',
    'a b.com',
    'a.com,b.com',
    '',
    7,
  ])('refuse %j, which would fit nothing', (pattern) => expect(taken(pattern)).toBe(false));
});

describe('fitsHost', () => {
  it.each([
    ['a.com', 'https://A.com/', true],
    ['A.com', 'https://a.com./x', true],
    ['a.com', 'https://b.a.com/', false],
    ['*.a.com', 'https://b.a.com/', true],
    ['*.a.com', 'https://a.com/', false],
    ['*.a.com', 'https://evila.com/', false],
    ['a.com:443', 'https://a.com/', true],
    ['a.com:443', 'http://a.com/', false],
    ['a.com:8080', 'http://a.com:8080/', true],
    ['[::1]:80', 'http://[::1]/', true],
    ['[::1]', 'http://[::1]:99/', true],
    ['*', 'http://anything/', true],
  ])('of %s for %s is %s', (pattern, url, fits) => expect(fitsHost(pattern, new URL(url))).toBe(fits));
});
