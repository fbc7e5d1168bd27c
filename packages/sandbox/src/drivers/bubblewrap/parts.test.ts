import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from './find-program.ts';
import { hostView, toolChains } from './host-view.ts';
import { limitsPrelude } from './limits.ts';
import { outerPrelude } from './outer-prelude.ts';
import { protectedPlaces } from './protected-places.ts';
import { violationsIn } from './violations-in-output.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'parts-')));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (...names: string[]) => join(folder, ...names);
const make = (...names: string[]) => {
  mkdirSync(at(...names), { recursive: true });
  return at(...names);
};

describe('toolChains', () => {
  const shown = (path: string, kept: readonly string[] = []) =>
    toolChains(path, kept).filter((_, index) => index % 3 === 2);

  it('shows what lies around a bin, and only the entry where that would be too much', () => {
    const [tool, plain, kept] = [make('tool', 'bin'), make('plain'), make('kept')];
    symlinkSync(tool, at('link'));

    expect(shown(`${tool}:/usr/bin:relative:${at('missing')}`)).toEqual([at('tool')]);
    expect(shown(plain)).toEqual([plain]);
    expect(shown(at('link'))).toEqual([at('link'), at('tool')]);
    expect(shown(make('tool', 'deep', 'bin'), [at('tool', 'deep', 'secret')])).toEqual([at('tool', 'deep', 'bin')]);
    expect(shown(make('kept', 'bin'), [kept])).toEqual([]);
    expect(shown(`${homedir()}:/:${dirname(homedir())}`)).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('hostView (Linux)', () => {
  it('covers what only its owner may read when this is root, and bounds what is in memory', () => {
    const [asRoot, asUser] = [true, false].map((isRoot) => hostView({ isRoot, memoryMb: undefined }).join(' '));

    expect(asRoot).toContain('--ro-bind /dev/null /etc/');
    expect(asRoot).toContain('--ro-bind /proc/sys /proc/sys');
    expect(asUser).not.toContain('/dev/null');
    expect(hostView({ isRoot: false, memoryMb: 2 }).join(' ')).toContain('--size 2097152 --tmpfs /tmp');
  });
});

describe('findProgram', () => {
  it('takes programs only, and none of the workspace', () => {
    writeFileSync(join(make('one'), 'tool'), '');
    writeFileSync(join(make('two'), 'tool'), '', { mode: 0o755 });
    make('three', 'tool');
    const path = `.:${at('one')}:${at('three')}:${at('two')}`;

    expect(findProgram('tool', [], path)).toBe(at('two', 'tool'));
    expect(findProgram('tool', [at('two')], path)).toBeUndefined();
    expect(findProgram('tool', [], '')).toBeUndefined();
  });
});

describe('limitsPrelude', () => {
  it('sets what is asked for, as far as this process may', () => {
    const hard = new Map([
      ['Max cpu time', 5],
      ['Max data size', 2048],
    ]);

    expect(limitsPrelude({}, { hard, isRoot: false })).toBe('');
    expect(limitsPrelude({ cpuSeconds: 9, memoryMb: 1, fileSizeMb: 1, processes: 7 }, { hard, isRoot: false })).toBe(
      'ulimit -t 5 -d 2 -f 1024 -u 7 || exit 126; ',
    );
    expect(limitsPrelude({ processes: 7 }, { hard, isRoot: true })).toBe('');
  });
});

describe('outerPrelude', () => {
  it('enters a group, and closes descriptors where there may be some to close', () => {
    expect(outerPrelude({ entrance: '/group' })).toContain('/group');
    const opened = Array.from({ length: 70 }, () => openSync('/dev/null', 'r'));
    const [shell, , script] = outerPrelude({});
    for (const one of opened) closeSync(one);

    expect(shell).toBe('/bin/bash');
    expect(script).toContain('/proc/self/fd');
  });
});

describe('violationsIn', () => {
  it('reads what programs tell of refused files and hosts', () => {
    const lines = [
      "touch: cannot touch '/etc/x': Read-only file system",
      'bash: line 1: a/b: Permission denied',
      "rm: cannot remove '.npmrc': Device or resource busy",
      "touch: cannot touch '/etc/a b/c d': Read-only file system",
      'mkdir: cannot create directory ‘/etc/d’: Read-only file system',
      "PermissionError: [Errno 13] Permission denied: '/etc/p'",
      'ssh: Could not resolve hostname c.example.com: Temporary failure in name resolution',
      "head: cannot open '/etc/z' for reading: Permission denied",
      "Error: EROFS: read-only file system, open '/etc/y'",
      'sh: 1: cannot create .mcp.json: Is a directory',
      'cat: src: Is a directory',
      'curl: (6) Could not resolve host: a.example.com',
      'getaddrinfo ENOTFOUND b.example.com',
      'connect ENETUNREACH 10.0.0.1:80 - Local',
      'curl: (7) Failed to connect to 10.0.0.2 port 80',
      'nothing to tell',
    ];

    const found = violationsIn(lines.join('\n'), (path) => path === '.mcp.json');

    expect(found.map(({ kind, detail }) => `${kind} ${detail}`)).toEqual([
      'file /etc/x',
      'file a/b',
      'file .npmrc',
      'file /etc/a b/c d',
      'file /etc/d',
      'file /etc/p',
      'network c.example.com',
      'file /etc/z',
      'file /etc/y',
      'file .mcp.json',
      'network a.example.com',
      'network b.example.com',
      'network 10.0.0.1:80',
      'network 10.0.0.2',
    ]);
    const many = Array.from({ length: 99 }, (_, index) => `x: /a/${index}: Permission denied`);
    expect(violationsIn(many.join('\n'), () => false)).toHaveLength(50);
  });
});

describe('protectedPlaces', () => {
  const submodule = (worktree: string, config = `[core]\n\tworktree = ${worktree}\n`) => {
    mkdirSync(make('super', 'modules', 'sub', 'hooks'), { recursive: true });
    writeFileSync(at('super', 'modules', 'sub', 'config'), config);
    writeFileSync(join(make('tree'), '.git'), 'gitdir: ../super/modules/sub\n');
    return protectedPlaces(at('tree'));
  };

  it('are the files that package managers and editors obey, in each of their names', () => {
    make('tree');
    const obeyed = ['.npmrc', '.pnp.cjs', '.pnp.loader.mjs', '.pnpmfile.cjs', '.yarnrc', '.yarnrc.yml'];
    for (const name of [...obeyed, 'package.json']) writeFileSync(at('tree', name), '');

    const { readOnly, absent } = protectedPlaces(at('tree'));

    expect(readOnly.toSorted()).toEqual(obeyed.map((name) => at('tree', name)));
    expect(absent).toEqual(expect.arrayContaining([at('tree', '.devcontainer'), at('tree', '.devcontainer.json')]));
  });

  it('opens the repository of a submodule that points back, but for its hooks and configuration', () => {
    const { outside, readOnly } = submodule('../../../tree');

    expect(outside).toEqual([at('super', 'modules', 'sub')]);
    expect(readOnly).toContain(at('super', 'modules', 'sub', 'hooks'));
    expect(readOnly).toContain(at('super', 'modules', 'sub', 'config'));
    expect(readOnly).toContain(at('tree', '.git'));
  });

  it.each([
    ['another tree', () => submodule('../../../other')],
    ['none', () => submodule('', '')],
    [
      'a worktree that is not of this place',
      () => {
        writeFileSync(join(make('super', 'worktrees', 'w'), 'commondir'), '../..\n');
        writeFileSync(at('super', 'worktrees', 'w', 'gitdir'), '/elsewhere/.git\n');
        writeFileSync(join(make('tree'), '.git'), 'gitdir: ../super/worktrees/w\n');
        return protectedPlaces(at('tree'));
      },
    ],
    [
      'a text that is not git’s',
      () => {
        writeFileSync(join(make('tree'), '.git'), 'hello');
        return protectedPlaces(at('tree'));
      },
    ],
    [
      'a link that leads nowhere',
      () => {
        symlinkSync('../nowhere', join(make('tree'), '.git'));
        return protectedPlaces(at('tree'));
      },
    ],
  ])('opens nothing for a file .git that leads to a repository which names %s', (_, places) => {
    expect(places().outside).toEqual([]);
  });
});
