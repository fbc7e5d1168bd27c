import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { linearPattern } from './linear-pattern.ts';
import { simplePattern } from './simple-pattern.ts';

describe('simplePattern', () => {
  it.each([
    '^[a-z][a-z0-9_-]*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^[A-Z]{2,3}$',
    '^$',
    '^\\w+$',
    '^[^/]{1,64}$',
    '^v?\\d{1,3}$',
  ])('takes %s', (source) => {
    expect(simplePattern(source)).toBeInstanceOf(RegExp);
  });

  it.each([
    '^a*a*$',
    '^(a+)+$',
    'a+',
    '^a+',
    '^a|b$',
    '^(?=a)a$',
    '^\\d+\\d+$',
    '^[a-z]{0,99}[a-z]{0,99}$',
    '^a$b$',
    '^a+?$',
  ])('leaves %s to the other engine', (source) => {
    expect(simplePattern(source)).toBeUndefined();
  });

  const atom = fc.constantFrom('a', 'b', '.', '\\d', '\\w', '[ab]', '[^a]', '[a-c-]', '\\.', '[\\d.]');
  const times = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '{0,2}');
  const source = fc
    .array(fc.tuple(atom, times), { maxLength: 4 })
    .map((parts) => `^${parts.map((part) => part.join('')).join('')}$`);
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '.', '-', 'é', '\n', '\u{1f600}'), maxLength: 6 });

  test.prop([source, text], { numRuns: 500 })('means what the linear engine means', (pattern, on) => {
    // Two choices for nothing keep it from being simple.
    expect(linearPattern(pattern).test(on)).toBe(linearPattern(`(?:${pattern})|[]`).test(on));
  });
});
