import { describe, expect, it } from 'vitest';
import { ignoreRules } from './ignore-rules.ts';

/** Whether a `.gitignore` in /r ignores a path; a path with a slash at its end is a directory. */
function ignored(text: string, path: string): boolean {
  return ignoreRules(text, '/r').ignores(`/r/${path.replace(/\/$/, '')}`, path.endsWith('/'));
}

describe('ignoreRules', () => {
  it.each([
    ['*.log', 'a.log', true],
    ['*.log', 'deep/a.log', true],
    ['/a.log', 'a.log', true],
    ['/a.log', 'deep/a.log', false],
    ['deep/a.log', 'deep/a.log', true],
    ['deep/a.log', 'very/deep/a.log', false],
    ['build/', 'build/', true],
    ['build/', 'build', false],
    ['build/', 'deep/build/', true],
    ['/build/', 'deep/build/', false],
    ['**/foo', 'a/b/foo', true],
    ['foo/**', 'foo/', false],
    ['foo/**', 'foo/a/b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/*', 'a/b/c', false],
    ['*.log\n!keep.log', 'keep.log', false],
    ['!keep.log\n*.log', 'keep.log', true],
    ['# comment', '# comment', false],
    ['\\#file', '#file', true],
    ['\\!file', '!file', true],
    ['trailing   ', 'trailing', true],
    ['trailing\\ ', 'trailing ', true],
    ['windows.txt\r', 'windows.txt', true],
    ['\uFEFFmarked', 'marked', true],
    ['', 'a', false],
    ['/', 'a', false],
    ['.*', '.env', true],
  ])('%j says of %s: %s', (text, path, expected) => {
    expect(ignored(text, path)).toBe(expected);
  });

  it('lets an inner file decide before an outer one', () => {
    const outer = ignoreRules('*.log', '/r');
    const inner = ignoreRules('!keep.log', '/r/deep', outer);

    expect(inner.ignores('/r/deep/keep.log', false)).toBe(false);
    expect(inner.ignores('/r/deep/other.log', false)).toBe(true);
  });

  it('holds anchored patterns against paths from its own directory', () => {
    const rules = ignoreRules('/a.log', '/r/deep');

    expect(rules.ignores('/r/deep/a.log', false)).toBe(true);
    expect(rules.ignores('/r/deep/er/a.log', false)).toBe(false);
  });
});
