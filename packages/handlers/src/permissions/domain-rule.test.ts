import { describe, expect, it } from 'vitest';
import { about, fetcher, outcome } from '../../test/permission-values.ts';

describe('domain rules', () => {
  const fetching = (url: string, rules: object) =>
    outcome(about(fetcher, url), rules, { canUseTool: async () => ({ behavior: 'ask' }) });

  it.each([
    ['domain:example.com', 'https://example.com/x', true],
    ['domain:example.com', 'http://EXAMPLE.com.:8080/x', true],
    ['domain:example.com', 'https://sub.example.com/', false],
    ['domain:*.example.com', 'https://sub.example.com/', true],
    ['domain:*.example.com', 'https://example.com/', false],
    ['domain:example.com', 'https://example.com@evil.org/', false],
    ['domain:example.com', 'https://evil.org/example.com', false],
    ['domain:example.com', 'https://notexample.com/', false],
    ['domain:example.com', 'ftp://example.com/', false],
    ['domain:127.0.0.1', 'http://0x7f.1/', true],
    ['domain:example.com', 'no address', false],
    ['domain:example.com', 'http:\\\\example.com\\x', true],
    ['domain:example.com', 'https://evil.org\\@example.com/', false],
    ['domain:example.com', 'https://ex\tample.com/', true],
    ['domain:example.com', 'https://example.com%2eevil.org/', false],
    ['domain:example.com', 'https://еxample.com/', false],
  ])('%s lets %s pass: %s', async (pattern, url, passes) => {
    expect(await fetching(url, { allow: [`WebFetch(${pattern})`] })).toBe(
      passes ? 'allow_rule: allow' : 'nobody: deny',
    );
  });

  it('deny the host and all below it, and ask about what is no address', async () => {
    const deny = ['WebFetch(domain:example.com)'];

    expect(await fetching('https://a.b.example.com/', { deny, allow: ['WebFetch'] })).toBe('deny_rule: deny');
    expect(await fetching('https://example.org/', { deny, allow: ['WebFetch'] })).toBe('allow_rule: allow');
    expect(await fetching('example.com', { deny, mode: 'bypassPermissions' })).toBe('nobody: deny');
  });

  it.each([
    'https://example.com../',
    'https://example\u3002com/',
    'https://EXAMPLE.com:8443/',
    'https://user@example.com/',
    'https:example.com',
    'wss://example.com/',
    'other://EXAMPLE.com/',
    'other://ex%61mple.com/',
    'blob:https://example.com/x',
    'view-source:https://example.com/',
  ])('let no spelling of a denied host pass: %s', async (url) => {
    const deny = ['WebFetch(domain:example.com)'];

    expect(await fetching(url, { deny, mode: 'bypassPermissions' })).toMatch(/: deny$/);
  });
});
