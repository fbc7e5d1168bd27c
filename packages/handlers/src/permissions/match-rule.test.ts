import { fc, test } from '@fast-check/vitest';
import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, bash, edit, grep, outcome, read, toolAbout, withLinks, write } from '../../test/permission-values.ts';

/** The outcome of an edit under an allow rule; without the rule it would be refused. */
const allowed = (rule: string, path: string) => outcome(about(edit, path), { allow: [rule] });
/** The outcome of a read under a deny rule; without the rule it would run. */
const denied = (rule: string, path: string) => outcome(about(read, path), { deny: [rule] });

describe('path rules', () => {
  it.each([
    ['Edit(src/**)', 'src/a.ts', true],
    ['Edit(src/**)', '/workspace/src/deep/a.ts', true],
    ['Edit(src/**)', './lib/../src/a.ts', true],
    ['Edit(src/)', 'src/a.ts', true],
    ['Edit(src/**)', 'src', false],
    ['Edit(src/**)', 'src/../package.json', false],
    ['Edit(src/**)', 'srcs/a.ts', false],
    ['Edit(src/**)', '/src/a.ts', false],
    ['Edit(src/**)', '/workspace/../etc/src/a.ts', false],
    ['Edit(src/*)', 'src/deep/a.ts', false],
    ['Edit(src)', 'src/a.ts', false],
    ['Edit(**)', 'a/.hidden', true],
    ['Edit(**)', '/etc/passwd', false],
    ['Edit(**/*.ts)', '/elsewhere/a.ts', false],
    ['Edit(*.{ts,js})', 'a.js', true],
    ['Edit(../other/*)', '/other/a', true],
    ['Edit(~/notes/*)', '/home/me/notes/a', true],
    ['Edit(~/notes/*)', '~/notes/a', false],
    ['Edit(/tmp/**)', '/tmp/a/b', true],
    ['Edit(SRC/**)', 'src/a', false],
    ['Write(src/**)', 'src/a', false],
  ])('%s lets an edit of %s pass: %s', async (rule, path, passes) => {
    expect(await allowed(rule, path)).toBe(passes ? 'allow_rule: allow' : 'nobody: deny');
  });

  it.each([
    ['Read(**/.env)', '.env', true],
    ['Read(**/.env)', 'a/b/.env', true],
    ['Read(**/.env)', '/elsewhere/.env', true],
    ['Read(**/.env)', '.env/inside', true],
    ['Read(**/.env)', 'x/../.env', true],
    ['Read(**/.env)', '.env.example', false],
    ['Read(secrets)', 'secrets/deep/key', true],
    ['Read(secrets/)', 'secrets/key', true],
    ['Read(secrets/*)', 'secrets/deep/key', true],
    ['Read(secrets)', 'secrets2/key', false],
    ['Read(~/.aws)', '/home/me/.aws/credentials', true],
    ['Read(~/.aws)', '~/.aws/credentials', true],
    ['Read(~/.aws)', '/home/you/.aws/credentials', false],
    ['Read(/etc/**)', '/etc/passwd', true],
  ])('%s denies reading %s: %s', async (rule, path, isDenied) => {
    expect(await denied(rule, path)).toBe(isDenied ? 'deny_rule: deny' : 'default: allow');
  });

  it('allow needs the spelled and the resolved path inside, deny needs either', async () => {
    const workspace = await withLinks(
      { 'src/real.ts': '', 'secrets/key': '' },
      {
        'src/out.ts': '/etc/passwd',
        'in.ts': '/workspace/src/real.ts',
        alias: '/workspace/secrets',
        'secrets/pub': '/workspace/src/real.ts',
      },
    );
    const editing = (path: string) => outcome(about(edit, path, { workspace }), { allow: ['Edit(src/**)'] });
    const reading = (path: string) => outcome(about(read, path, { workspace }), { deny: ['Read(secrets/**)'] });

    expect(await editing('src/real.ts')).toBe('allow_rule: allow');
    expect(await editing('src/out.ts')).toBe('nobody: deny');
    expect(await editing('in.ts')).toBe('nobody: deny');
    expect(await reading('alias/key')).toBe('deny_rule: deny');
    expect(await reading('secrets/pub')).toBe('deny_rule: deny');
    expect(await reading('src/real.ts')).toBe('default: allow');
  });

  it('follows the directory a deny rule names where it is a link, so that its target is closed too', async () => {
    const workspace = await withLinks({ '/data/keys/a': '' }, { keys: '/data/keys' });

    expect(await outcome(about(read, '/data/keys/a', { workspace }), { deny: ['Read(keys/**)'] })).toBe(
      'deny_rule: deny',
    );
  });

  it('never widens an allow rule by a link that stands where its directory was', async () => {
    const workspace = await withLinks({ '/etc/passwd': '' }, { src: '/etc' });

    expect(await outcome(about(edit, 'src/passwd', { workspace }), { allow: ['Edit(src/**)'] })).toBe('nobody: deny');
  });

  it('holds with a working directory that is itself reached through a link', async () => {
    const real = await withLinks({ '/real/src/a': '', '/real/.env': '' }, { '/link': '/real' });
    const workspace = {
      ...real,
      cwd: '/link',
      resolve: (path: string) => real.resolve(path.startsWith('/') ? path : `/link/${path}`),
    };

    expect(await outcome(about(edit, 'src/a', { workspace }), { allow: ['Edit(src/**)'] })).toBe('allow_rule: allow');
    expect(await outcome(about(edit, 'src/a', { workspace }), { mode: 'acceptEdits' })).toBe('mode: allow');
    expect(await outcome(about(read, '/real/.env', { workspace }), { deny: ['Read(.env)'] })).toBe('deny_rule: deny');
  });

  it('holds with a home directory that is itself reached through a link', async () => {
    const workspace = await withLinks({ '/data/me/notes/a': '' }, { '/home/me': '/data/me' });
    const rules = { allow: ['Edit(~/notes/*)'], deny: ['Read(~/notes)'] };

    expect(await outcome(about(edit, '/home/me/notes/a', { workspace }), rules)).toBe('allow_rule: allow');
    expect(await outcome(about(read, '/data/me/notes/a', { workspace }), rules)).toBe('deny_rule: deny');
  });

  it('a deny rule of one tool binds the others of its kind, and no other kind by its name', async () => {
    const deny = ['Read(**/.env)'];
    const mode = 'bypassPermissions';

    expect(await outcome(about(grep, '.env'), { deny })).toBe('deny_rule: deny');
    expect(await outcome(about(write, '.env'), { deny, mode })).toBe('mode: allow');
    expect(await outcome(about(write, 'a.lock'), { deny: ['Edit(*.lock)'], mode })).toBe('deny_rule: deny');
    expect(await outcome(about(read, 'a.lock'), { deny: ['Edit(*.lock)'] })).toBe('default: allow');
  });

  it('a rule of a tool that executes binds that tool alone', async () => {
    const deny = ['deploy(prod/**)'];
    const mode = 'bypassPermissions';

    expect(await outcome(about(toolAbout('deploy', 'execute'), 'prod/a'), { deny, mode })).toBe('deny_rule: deny');
    expect(await outcome(about(toolAbout('inspect', 'execute'), 'prod/a'), { deny, mode })).toBe('mode: allow');
  });

  it('lets no call pass that names no path at all', async () => {
    const none = { ...edit, subject: () => ({ type: 'paths', paths: [] }) as const };

    expect(await outcome(about(none, ''), { allow: ['Edit(/**)'] })).toBe('nobody: deny');
    expect(await outcome(about(none, ''), { mode: 'acceptEdits' })).toBe('nobody: deny');
  });

  it('needs every path of a call for an allow, and one for a deny', async () => {
    const many = { ...edit, subject: () => ({ type: 'paths', paths: ['src/a', 'lib/b'] }) as const };

    expect(await outcome(about(many, ''), { allow: ['Edit(src/**)'] })).toBe('nobody: deny');
    expect(await outcome(about(many, ''), { allow: ['Edit(src/**)', 'Edit(lib/*)'] })).toBe('allow_rule: allow');
    expect(await outcome(about(many, ''), { deny: ['Edit(lib/*)'], allow: ['Edit'] })).toBe('deny_rule: deny');
  });

  it('refuses a path that leads nowhere it can be judged', async () => {
    const workspace = await withLinks({}, { a: 'b', b: 'a' });

    expect(await outcome(about(read, 'a/x', { workspace }), {})).toBe('input: deny');
    expect(await outcome(about(read, 'a\0b'), { mode: 'bypassPermissions' })).toBe('input: deny');
  });

  const names = fc.array(fc.constantFrom('src', 'lib', '..', '.', 'a', '.env'), { minLength: 1, maxLength: 6 });

  test.prop([names])(
    'allows nothing that is not below the directory in the end, however it is spelled',
    async (parts) => {
      const path = parts.join('/');
      const end = await memoryWorkspace().resolve(path);

      expect(await allowed('Edit(src/**)', path)).toBe(
        end.startsWith('/workspace/src/') ? 'allow_rule: allow' : 'nobody: deny',
      );
    },
  );
});

describe('a matcher that looks at the text alone', () => {
  const naive = (prefix: string, path: string) => path.startsWith(prefix);

  it.each(['src/../package.json', 'src/../../etc/passwd'])('would let %s pass, the rule does not', async (path) => {
    expect(naive('src/', path)).toBe(true);
    expect(await allowed('Edit(src/**)', path)).toBe('nobody: deny');
  });

  it('would let a denied command pass behind a path, the rule does not', async () => {
    expect(naive('curl ', '/usr/bin/curl x')).toBe(false);
    expect(await outcome(about(bash, '/usr/bin/curl x'), { deny: ['Bash(curl *)'], mode: 'bypassPermissions' })).toBe(
      'deny_rule: deny',
    );
  });
});
