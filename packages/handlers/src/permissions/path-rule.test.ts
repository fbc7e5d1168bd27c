import { describe, expect, it } from 'vitest';
import { means, type Places, parsePathRules, touches } from './path-rule.ts';

const places: Places = { cwd: '/work', resolvedCwd: '/work', resolvedBases: new Map() };
const composed = 'caf\u00e9';
const decomposed = 'cafe\u0301';

describe('parsePathRules, for file systems that fold names', () => {
  it.each([
    ['Secrets/**', '/work/SECRETS/a'],
    ['**/.ENV', '/work/a/.env'],
    [`${composed}/**`, `/work/${decomposed}/a`],
    [`**/${decomposed}.*`, `/work/a/${composed}.pem`],
    ['secrets/*', '/work/\u017fecrets/a'],
    ['strasse', '/work/stra\u00dfe'],
  ])('%s means %s', (text, path) => {
    const [rule] = parsePathRules(text, { ignoreCase: true });

    expect(touches(rule!, path, places)).toBe(true);
    expect(means(rule!, path, places)).toBe(true);
  });

  it.each([
    ['Secrets/**', '/work/SECRETS/a'],
    [`${composed}/**`, `/work/${decomposed}/a`],
  ])('%s does not mean %s where names are told apart', (text, path) => {
    const [rule] = parsePathRules(text);

    expect(touches(rule!, path, places)).toBe(false);
  });
});

describe('touches, for what people bring from .gitignore', () => {
  it.each([
    ['.env', '/work/.env'],
    ['.env', '/work/sub/.env'],
    ['.env', '/elsewhere/.env'],
    ['*.pem', '/work/a/b/x.pem'],
    ['secrets/', '/work/a/secrets/x'],
    ['secrets', '/work/a/secrets/x'],
    ['/.env', '/work/.env'],
    ['/build/**', '/work/build/x'],
    ['//etc/passwd', '/etc/passwd'],
    ['./.env', '/work/.env'],
    ['{.env,.npmrc}', '/work/a/.npmrc'],
    ['app/[id]/page.tsx', '/work/app/[id]/page.tsx'],
    ['app/[id]/page.tsx', '/work/app/d/page.tsx'],
    ['[...slug].tsx', '/work/app/[...slug].tsx'],
    ['src/**.ts', '/work/src/a/b.ts'],
    ['secrets\\*', '/work/secrets/a'],
    ['secrets\\.env', '/work/secrets/.env'],
    ['.\\.env', '/work/.env'],
    ['.\\*', '/work/x'],
  ])('%s denies %s', (text, path) => {
    expect(parsePathRules(text).some((rule) => touches(rule, path, places))).toBe(true);
  });

  it.each([
    ['.env', '/work/.environment'],
    ['./.env', '/work/sub/.env'],
    ['src/x', '/work/a/src/x'],
    ['/build', '/work/a/build'],
    ['*', '/elsewhere/x'],
  ])('%s does not deny %s', (text, path) => {
    expect(parsePathRules(text).some((rule) => touches(rule, path, places))).toBe(false);
  });

  it.each([
    ['.env', '/work/sub/.env'],
    ['/build/x', '/work/build/x'],
    ['secrets/', '/work/a/secrets/x'],
    ['app/[id]', '/work/app/[id]'],
    ['src/**.ts', '/work/src/a/b.ts'],
    ['secrets\\*', '/work/secrets/a'],
  ])('as an allow rule %s stays exact: %s is not meant', (text, path) => {
    expect(parsePathRules(text).some((rule) => means(rule, path, places))).toBe(false);
  });
});

describe('parsePathRules, for spellings that would match nothing', () => {
  it.each([
    [' .env', 'a blank'],
    ['src/** ', 'a blank'],
    ['"src/**"', 'quotes'],
    ["'.env'", 'quotes'],
    ['!src/**', 'negated'],
    ['file:///etc/passwd', 'an address'],
    ['$HOME/.ssh/**', 'variables'],
    ['${HOME}/x', 'variables'],
    ['$PWD', 'variables'],
    ['%USERPROFILE%/x', 'variables'],
    ['src:*', 'for commands'],
    ['^src/.*$', 'regular expression'],
    ['.env$', 'regular expression'],
    ['.*\\.pem', 'regular expression'],
    ['src\\secret\\*', 'separated by /'],
    ['*.env|*.pem', 'a rule for each path'],
    ['.env\n.npmrc', 'a line break'],
    ['.env\u200b', 'not seen'],
    ['$(pwd)/x', 'variables'],
    ['a{1..3}', 'no ranges'],
    ['.env,.pem', 'a rule for each path'],
    ['.env, .pem', 'a rule for each path'],
    ['.env;.pem', 'a rule for each path'],
    ['.env .npmrc', 'a list'],
    ['src/** *.pem', 'a list'],
    ['a ~/.ssh', 'a list'],
    ['.env?(.local)', 'parentheses'],
    ['*.@(pem)', 'parentheses'],
    ['glob:**/.env', 'kinds of patterns'],
    ['path:.env', 'kinds of patterns'],
    ['file:.env', 'kinds of patterns'],
    ['regex:.*env', 'kinds of patterns'],
    [':workspace/.env', 'kinds of patterns'],
    [':(exclude).env', 'kinds of patterns'],
    ['<workspace>/.env', 'kinds of patterns'],
    ['secrets/...', 'kinds of patterns'],
    ['./...', 'kinds of patterns'],
  ])('refuses %j and says what to write', (text, hint) => {
    expect(() => parsePathRules(text)).toThrow(hint);
  });

  it.each([
    'app/$id.tsx',
    'a\\|b',
    'a\\,b',
    'a\\;b',
    '{a,b}/c',
    'a$b',
    '[!a]*',
    'C:/x',
    'a:b',
    '.*',
    '\\*',
    'a b/**',
    'app/(x)/@y/[...z]',
    '\\:x',
    'Documents/Invoice *.pdf',
    'a - b',
  ])('takes %j', (text) => {
    expect(() => parsePathRules(text)).not.toThrow();
  });
});
