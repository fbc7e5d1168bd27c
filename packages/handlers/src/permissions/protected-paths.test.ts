import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { about, edit, outcome, type Rules, read, toolAbout, withLinks } from '../../test/permission-values.ts';
import type { CanUseTool } from './types.ts';

/** Settings that let every call of these tests pass. */
const loose: readonly Rules[] = [
  { mode: 'bypassPermissions' },
  { mode: 'acceptEdits', allow: ['Edit', 'Bash', 'deploy'] },
  { allow: ['Edit', 'Bash', 'deploy'] },
  { mode: 'acceptEdits' },
];

/** Under how many of the settings a call is asked about: under all of them, or under none. */
async function isAsked(...[tool, text, more]: Parameters<typeof about>): Promise<'always' | 'never' | 'sometimes'> {
  let asked = 0;
  const canUseTool: CanUseTool = async () => {
    asked += 1;
    return { behavior: 'deny', message: 'no' };
  };
  const settings = tool.kind === 'write' ? loose : loose.slice(0, -1);
  for (const rules of settings) {
    await outcome(about(tool, text, more), rules, { canUseTool, ownDirectories: ['/opt/sdk'] });
  }
  return asked === settings.length ? 'always' : asked === 0 ? 'never' : 'sometimes';
}

describe('protected paths', () => {
  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.git',
    'vendor/lib/.git/config',
    'a/.git/modules/b/hooks/post-checkout',
    '.git/modules/b/config',
    '.git/config.worktree',
    '.git/info/attributes',
    '.GIT/Config',
    '.git./config',
    '.\u017fsh/authorized_keys',
    '.g\u200cit/config',
    'git~1/config',
    'HEAD',
    'packages/a/HEAD',
    '.git/commondir',
    '.git/worktrees/a/commondir',
    '.git/rebase-merge/git-rebase-todo',
    '.husky/pre-commit',
    '.githooks/pre-commit',
    '.pre-commit-config.yaml',
    '.gitmodules',
    '.bashrc',
    'sub/.zshrc',
    '.Profile',
    '.mcp.json',
    '.vscode/tasks.json',
    '.vscode',
    '.idea/workspace.xml',
    '.ssh/authorized_keys',
    '.config/fish/config.fish',
    '.agent-sdk/sessions.db',
    './x/../.git/config',
    '.git/HEAD',
    '.git/index',
    '.git/packed-refs',
    '.hg/hgrc',
    '.jj/repo/config.toml',
    '.claude/settings.json',
    '.cursor/mcp.json',
    '.yarnrc.yml',
    'sub/.yarnrc',
    '.pnpmfile.cjs',
    '.pnp.loader.mjs',
    '.devcontainer.json',
    '.pnp.cjs',
    'packages/a/.npmrc',
    '.cargo/config.toml',
    '.docker/config.json',
  ])('asks before a write of %s in every mode', async (path) => {
    expect(await isAsked(edit, path)).toBe('always');
    expect(await isAsked(toolAbout('deploy', 'execute'), path)).toBe('always');
  });

  it.each([
    'src/a.ts',
    '.github/workflows/a.yml',
    '.gitignore',
    'HEAD/a',
    '.cargo/registry/x',
    '.docker/volumes/x',
    'head.html',
    'rebase-merge/a',
    'commondir',
    'git/config',
    'config',
    'bashrc',
    '.env',
    'ssh/a',
  ])('lets %s be written', async (path) => {
    expect(await isAsked(edit, path)).toBe('never');
  });

  it('asks about links into and out of protected places', async () => {
    const workspace = await withLinks(
      { '.git/config': '', 'x/a': '' },
      { innocent: '/workspace/.git', '.vscode': '/workspace/x' },
    );

    expect(await isAsked(edit, 'innocent/config', { workspace })).toBe('always');
    expect(await isAsked(edit, '.vscode/a', { workspace })).toBe('always');
  });

  it('asks before reading only where keys and other sessions are', async () => {
    const seen = async (path: string) => await outcome(about(read, path), {}, { ownDirectories: ['/opt/sdk'] });

    expect(await seen('/home/me/.ssh/id_ed25519')).toBe('nobody: deny');
    expect(await seen('~/.ssh/id_ed25519')).toBe('nobody: deny');
    expect(await seen('/opt/sdk/sessions.db')).toBe('nobody: deny');
    expect(await seen('.git/config')).toBe('default: allow');
    expect(await seen('.bashrc')).toBe('default: allow');
  });

  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c') });
  test.prop([fc.array(letters, { maxLength: 3 }), fc.array(fc.boolean(), { minLength: 12, maxLength: 12 })])(
    'sees .git/hooks at any depth and in any case',
    async (above, capitals) => {
      const name = Array.from('.git/hooks/x', (letter, at) => (capitals[at] ? letter.toUpperCase() : letter)).join('');
      const path = [...above.filter((part) => part !== ''), name].join('/');

      expect(await outcome(about(edit, path), { mode: 'bypassPermissions' })).toBe('nobody: deny');
    },
  );
});
