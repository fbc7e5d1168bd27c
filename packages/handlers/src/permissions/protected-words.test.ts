import { memoryWorkspace } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { about, bash, outcome, type Rules, withLinks } from '../../test/permission-values.ts';
import type { CanUseTool } from './types.ts';

/** Settings that let every line run. */
const loose: readonly Rules[] = [{ mode: 'bypassPermissions' }, { allow: ['Bash'] }];

async function isAsked(line: string, workspace = memoryWorkspace()): Promise<'always' | 'never' | 'sometimes'> {
  let asked = 0;
  const canUseTool: CanUseTool = async () => {
    asked += 1;
    return { behavior: 'deny', message: 'no' };
  };
  for (const rules of loose) {
    await outcome(about(bash, line, { workspace }), rules, { canUseTool, ownDirectories: ['/opt/sdk'] });
  }
  return asked === loose.length ? 'always' : asked === 0 ? 'never' : 'sometimes';
}

describe('protected paths in command lines', () => {
  it.each([
    'cp evil .git/hooks/pre-commit',
    'echo x > .git/hooks/pre-commit',
    'echo x >>".git/config"',
    'tee ~/.bashrc',
    'cat ~/.ssh/id_ed25519',
    'dd of=.mcp.json',
    'sed --in-place --file=x .vscode/tasks.json',
    'cd .git && rm config',
    'true; bash -c "cp a .g""it/config"',
    'cat /opt/sdk/sessions.db',
    'cat /proc/42/environ',
    'cat /dev/fd/../../$PPID/environ',
    'cat /proc/s*/environ',
    'cat /proc/[0-9]*/environ',
    'G=.git/config; cp p $G',
    'a=(.git/config); cp p ${a[0]}',
    'cp p ${x:-.git/config}',
    'for f in .git/config; do cp p $f; done',
    'read f <<< .git/config; cp p $f',
    'xxd /proc/self/task/7/environ',
    'dd if=/proc/42/mem',
    'cat /proc/42/status',
    'cd /proc/42 && cat environ',
    'cd /proc && cat 42/environ',
    'grep -ra HOME /proc/42 --include=environ',
    'tar cf - -C /proc/42 environ',
    'cat /proc/$PPID/environ',
    'cat /dev/fd/../environ',
    'cat /proc/"$PPID"/environ',
    'cat /proc/*/environ',
    'cat /proc/${x}/environ',
    'cd / && cat proc/42/environ',
    'cat $HOME/.ssh/id_rsa',
    'cat ${HOME}/.ssh/id_rsa',
    'cat "$HOME"/.ssh/id',
    'cat "$HOME/.ssh/id"',
    'cat ~root/.ssh/id_rsa',
    'cat ~/.s*/id_rsa',
    'cat ~/.ss?/id',
    'cat ~/.[s]sh/id',
    'D=.ssh; cat ~/$D/id_rsa',
    'cat ~/{.ssh,x}/id',
    'echo x >> $HOME/.bashrc',
    'echo x >>"${HOME}"/.bashrc',
    'cat > ~/.profile <<< x',
    'cp p .g*/config',
    'cp p .gi?/config',
    'D=.git; cp p $D/config',
    'D=.git; tee $D/hooks/pre-commit < p',
    'cp p $(echo .git)/config',
    'cp p "$(git rev-parse --git-dir)"/config',
    'rm -rf .*',
    'cat /opt/s*/sessions.db',
    'git config core.fsmonitor id',
    'git config --global alias.st "!id"',
    'git -C sub config core.pager id',
    'git config --unset core.pager',
    'git config -e',
    '/usr/bin/git config core.pager id',
    'git -c a=b config core.pager id',
    'cat x**/.git/config',
    'cp p .npmrc',
    'cat "unclosed .git/config',
    'git config rename-section a b',
  ])('asks about the command line %s, which names one', async (line) => {
    expect(await isAsked(line)).toBe('always');
  });

  it.each([
    'wc -l packages/*/*.json',
    'ls **/*.ts',
    'ls',
    'git status',
    'cat a.ts',
    'cat /proc/cpuinfo',
    'git diff HEAD -- a.ts',
    'cat proc/environ',
    'rm .git/index.lock',
    'npm test',
    'echo "see .bashrc for more"',
    'git clone https://example.com/a/b.git',
    'git config --get user.name',
    'git config --list',
    'git config user.name',
    'git log config core',
    'git config get user.name',
    'git config -l',
    'git config list',
    'cat $f',
    'cat "$file" > "$out"',
    'rm -rf "$BUILD"/tmp',
    'cp $src/a.json $dst/',
    'cat $name.json',
    'ls packages/*/config',
    'ls src/*.ts ~/.config ~/x',
    'cat /proc/meminfo /proc/sys/kernel/osrelease',
    'for f in *; do echo $f; done',
  ])('lets the command line %s run', async (line) => {
    expect(await isAsked(line)).toBe('never');
  });

  it('asks where a word is a link, or lies behind one, that leads to a protected place', async () => {
    const files = { '/workspace/.git/config': '', '/home/me/.ssh/id': '', '/workspace/src/a': '' };
    const workspace = await withLinks(files, { l: '/workspace/.git', key: '/home/me/.ssh/id', s: '/workspace/src' });

    for (const line of [
      'cp p l/config',
      'echo x > l/hooks/pre-commit',
      'cat key',
      'cd l && cp ../p config',
      'dd if=key',
    ]) {
      expect([line, await isAsked(line, workspace)]).toEqual([line, 'always']);
    }
    expect(await isAsked('cat s/a', workspace)).toBe('never');
  });

  it('asks about a word that may stand for too much to be guessed', async () => {
    expect(await isAsked(`cat ${'.*/'.repeat(5)}x`)).toBe('always');
  });
});
