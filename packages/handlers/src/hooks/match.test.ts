import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { checkMatched, matcherTest } from './match.ts';

describe('matcherTest', () => {
  it.each([
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Bash', 'MyBash', false],
    ['Bash', 'bash', false],
    ['Bash', 'Bash\n', false],
    ['Write|Edit', 'Edit', true],
    ['Write|Edit', 'WriteEdit', false],
    ['Write|Edit', 'Edits', false],
    ['mcp__.*', 'mcp__files__read', true],
    ['^Bash$', 'Bash', true],
    ['.*', '', true],
    ['(a+)+', 'aaa', true],
  ])('%s and %j: %s', (matcher, value, expected) => {
    expect(matcherTest(matcher)(value)).toBe(expected);
  });

  it.each([undefined, '', '*'])('%s matches everything', (matcher) => {
    expect([matcherTest(matcher)('Bash'), matcherTest(matcher)('')]).toEqual([true, true]);
  });

  it('answers a hostile pattern on a hostile value in linear time', () => {
    const matches = matcherTest('(a*)*b');
    const started = performance.now();

    expect(matches('a'.repeat(50_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(20_000); // a quadratic answer takes longer on any machine
  });

  it('takes a value that is too long to be matched as covered, so that a long name walks around no guard', () => {
    expect(matcherTest('Bash')('x'.repeat(70_000))).toBe(true);
    expect(matcherTest('Bash')('x'.repeat(60_000))).toBe(false);
  });

  test.prop([fc.stringMatching(/^[A-Za-z_]{1,20}$/), fc.stringMatching(/^[A-Za-z_]{1,20}$/)])(
    'a plain name matches itself and nothing else',
    (name, other) => {
      expect(matcherTest(name)(other)).toBe(name === other);
      expect(matcherTest(name)(name + other)).toBe(false);
    },
  );
});

describe('checkMatched, for a list of which one half matches', () => {
  const known = { known: ['Bash', 'Write', 'BashOutput'], open: true };

  it.each([
    ['Bash| Write', 'a blank'],
    ['Write |Bash', 'a blank'],
    ['Write|Bash(rm.*)', 'the rule Bash(rm.*)'],
  ])('refuses %j, since the other half would never fire', (matcher, hint) => {
    expect(() => checkMatched(matcher, 'matcher', known)).toThrow(hint);
  });

  it.each(['Bash|Write', 'Write|Bash(Output)', 'Bash|mcp__.*', '(Bash|Write)', '(?:Write|Bash(Output))'])(
    'takes %j',
    (matcher) => {
      expect(() => checkMatched(matcher, 'matcher', known)).not.toThrow();
    },
  );
});
