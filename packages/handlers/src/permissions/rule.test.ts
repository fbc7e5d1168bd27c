import { describe, expect, it } from 'vitest';
import { bash, edit, fetcher, plain, read } from '../../test/permission-values.ts';
import { checkRule, parseRule, parseRules } from './rule.ts';

const home = '/home/me';

describe('parseRule', () => {
  it('takes a bare name as every call of the tool', () => {
    expect(parseRule('mcp__files__read')).toEqual({ text: 'mcp__files__read', toolName: 'mcp__files__read' });
  });

  it.each([
    'Bash(git *)',
    'Bash(git:*)',
    'Bash(npm run test)',
    'Read(**/.env)',
    'Edit(src/**)',
    'Read(~/x)',
    'Read(~)',
    'Edit(/etc/*)',
    'Edit(../other/*.{ts,js})',
    'Edit(app/(group)/page.tsx)',
    'Edit(a\\(b)',
    'WebFetch(domain:example.com)',
    'WebFetch(domain:*.example.com)',
    'WebFetch(domain:[::1])',
  ])('takes %s', (text) => {
    expect(parseRule(text, { home }).pattern).toBeDefined();
  });

  it.each([
    ['', 'name of a tool'],
    ['(git *)', 'name of a tool'],
    ['B\u0430sh', 'name of a tool'],
    ['Bash (git *)', 'name of a tool'],
    ['Bash, Read', 'name of a tool'],
    ['Bash)', 'name of a tool'],
    ['Bash(', 'do not match'],
    ['Bash(git *', 'do not match'],
    ['Bash(git *) ', 'do not match'],
    ['Bash(git *))', 'do not match'],
    ['Bash((git *)', 'do not match'],
    ['Bash()', 'empty pattern; write Bash'],
    ['Bash(  )', 'empty pattern'],
    ['WebFetch(domain:)', 'a host alone'],
    ['WebFetch(domain:example.com/path)', 'a host alone'],
    ['WebFetch(domain:example.com:80)', 'a host alone'],
    ['WebFetch(domain:me@example.com)', 'a host alone'],
    ['WebFetch(domain:*)', 'a host alone'],
    ['WebFetch(domain:a.*.com)', 'a host alone'],
    ['WebFetch(domain:*.*.com)', 'a host alone'],
  ])('refuses %j and says what to write', (text, hint) => {
    expect(() => parseRule(text, { home, field: 'autoApprove' })).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        field: 'autoApprove',
        message: expect.stringContaining(hint),
      }),
    );
  });

  it.each([undefined, null, 7, ['Bash']])('refuses %j, which is no text', (text) => {
    expect(() => parseRules([text as never])).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('refuses ~ where no home directory is known, and the homes of others', () => {
    expect(() => parseRule('Read(~/x)')).toThrow(/no home directory/);
    expect(parseRule('Read(~other/x)', { home }).pattern?.faults.paths).toMatch(/other users/);
  });
});

describe('checkRule', () => {
  it.each([
    ['Bash(git *)', bash],
    ['Read(**/.env)', read],
    ['WebFetch(domain:example.com)', fetcher],
    ['plain', plain],
    ['Other(x)', plain],
  ])('passes %s', (text, tool) => {
    expect(() => checkRule(parseRule(text), tool)).not.toThrow();
  });

  it.each([
    ['plain(x)', plain, 'nothing to hold it against; write plain'],
    ['Read(domain:example.com)', read, 'does not fit Read'],
    ['Bash(domain:example.com)', bash, 'does not fit Bash'],
    ['WebFetch(example.com)', fetcher, 'write domain:example.com'],
    ['Edit(src/*/../x)', edit, 'after a wildcard'],
    [`Edit(${'{a,b}'.repeat(9)})`, edit, '256'],
  ])('refuses %s', (text, tool, hint) => {
    expect(() => checkRule(parseRule(text), tool)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', message: expect.stringContaining(hint) }),
    );
  });
});
