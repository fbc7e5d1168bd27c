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
