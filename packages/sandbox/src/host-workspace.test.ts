import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ValidationError } from '@x/core';
import { workspaceContract } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../test/output-of.ts';
import { hostWorkspace } from './host-workspace.ts';

async function temporary() {
  const cwd = await mkdtemp(join(tmpdir(), 'host-workspace-'));
  return { workspace: hostWorkspace({ cwd }), dispose: () => rm(cwd, { recursive: true, force: true }) };
}

describe('hostWorkspace', () => {
  describe('keeps the promises of every workspace', () => {
    for (const item of workspaceContract(temporary)) it(item.name, () => expect(item.run()).resolves.toBeUndefined());
  });

  it('passes on PATH, HOME, LANG, TERM and TMPDIR and the env of the session, nothing else but its marks (S05q)', async () => {
    process.env['SECRET_KEY_FOR_TEST'] = 'secret';
    const workspace = hostWorkspace({ cwd: tmpdir(), env: { MINE: 'yes', HOME: '/nowhere' } });

    const { stdout } = await outputOf(workspace.spawn('env', { signal: new AbortController().signal }));
    delete process.env['SECRET_KEY_FOR_TEST'];

    expect(workspace.env).toMatchObject({ MINE: 'yes', HOME: '/nowhere', PATH: process.env['PATH'] });
    expect(stdout).toContain('MINE=yes');
    expect(stdout).not.toContain('SECRET_KEY_FOR_TEST');
    const allowed = [
      'PATH',
      'HOME',
      'LANG',
      'TERM',
      'TMPDIR',
      'MINE',
      'PWD',
      'SHLVL',
      '_',
      'OLDPWD',
      'AGENT_SDK_COMMAND',
    ];
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('=')[0]),
    ).toSatisfy((names: string[]) => {
      return names.every((name) => allowed.includes(name));
    });
  });

  it('runs commands in its cwd, or below it where the call says so', async () => {
    await using place = await disposable();
    await place.workspace.makeDirectory('below');
    const { signal } = new AbortController();

    const [here, below] = [
      await outputOf(place.workspace.spawn('pwd -P', { signal })),
      await outputOf(place.workspace.spawn('pwd -P', { signal, cwd: 'below' })),
    ];

    const root = await place.workspace.resolve('.');
    expect([here.stdout, below.stdout]).toEqual([`${root}\n`, `${root}/below\n`]);
  });

  it('allows absolute paths outside of cwd', async () => {
    await using place = await disposable();
    await using other = await disposable();
    const path = join(other.workspace.cwd, 'a.txt');

    await place.workspace.writeFile(path, Uint8Array.of(65));

    expect(await other.workspace.readFile('a.txt')).toHaveLength(1);
  });

  it('refuses an empty cwd and options it does not know', () => {
    expect(() => hostWorkspace({ cwd: '' })).toThrow(ValidationError);
    expect(() => hostWorkspace({ cwd: '/tmp', sandbox: true } as never)).toThrow(/unknown sandbox; known: cwd, env/);
  });
});

async function disposable() {
  const { workspace, dispose } = await temporary();
  return { workspace, [Symbol.asyncDispose]: dispose };
}
