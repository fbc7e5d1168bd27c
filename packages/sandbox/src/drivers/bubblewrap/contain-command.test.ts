import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxPolicy } from '../../driver/driver.ts';
import { bubblewrapDriver } from './bubblewrap-driver.ts';
import { containCommand } from './contain-command.ts';
import { isPlaceholder } from './kind-of.ts';
import { givePlaceholdersBack, takePlaceholders } from './placeholders.ts';
import { wallParts } from './wall-parts.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'contained-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const policyOf = (
  files: Partial<SandboxPolicy['files']> = {},
  network: Partial<SandboxPolicy['network']> = {},
): SandboxPolicy => ({
  root,
  files: { write: [], readOnly: [], read: [], hidden: [], ...files },
  network: {
    mode: 'none',
    allowedDomains: [],
    deniedDomains: [],
    unixSockets: 'none',
    localBinding: false,
    ...network,
  },
  limits: {},
});
const wall = () => ({ ...wallParts(false), program: '/usr/bin/bwrap' });
const contained = (
  policy: SandboxPolicy,
  command: string | readonly string[] = 'true',
  env: Record<string, string> = {},
) => containCommand({ command, cwd: root, env }, policy, wall());
const ended = { code: 0, stderr: '' };

describe.skipIf(process.platform !== 'linux')('containCommand (Linux)', () => {
  it('gives variables that act on the wall to the command alone', async () => {
    const { argv, env, finish } = contained(policyOf(), ['echo', 'a b'], {
      LD_PRELOAD: '/x.so',
      BASH_ENV: '/y',
      A: 'b',
      HOME: '/root',
    });
    await finish(ended);

    expect(env).toEqual({ A: 'b', HOME: '/home/agent', TMPDIR: '/tmp' });
    expect(argv.join(' ')).toContain('--setenv LD_PRELOAD /x.so --setenv BASH_ENV /y');
    expect(argv.slice(-3)).toEqual(['bash', 'echo', 'a b']);
    expect(argv.at(-4)).toMatch(/; exec -- "\$@"$/);
    expect(argv).toContain('--unshare-net');
  });

  it('has the network of the host when that is the policy, and a filter for its sockets', async () => {
    const [open, shut] = [contained(policyOf({}, { mode: 'host', unixSockets: 'all' })), contained(policyOf())];
    await Promise.all([open.finish(ended), shut.finish(ended)]);

    expect(open.argv).not.toContain('--unshare-net');
    expect(open.inputs![0]!.length).toBeGreaterThan(shut.inputs![0]!.length);
  });

  it('covers what must not be written, be seen, or come into being, and sockets that are not listed', async () => {
    mkdirSync(join(root, 'deep', 'er'), { recursive: true });
    writeFileSync(join(root, 'deep', 'hidden'), '');
    const sockets = await Promise.all(
      ['open', 'shut'].map(
        (name) =>
          new Promise<ReturnType<typeof createServer>>((done) => {
            const server = createServer().listen(join(root, 'deep', name), () => done(server));
          }),
      ),
    );
    const { argv, finish } = contained(
      policyOf(
        {
          readOnly: [join(root, 'deep', 'er'), join(root, 'new', 'place'), '/elsewhere'],
          hidden: [join(root, 'deep', 'hidden'), '/not/shown'],
          read: ['/opt'],
        },
        { unixSockets: [join(root, 'deep', 'open')] },
      ),
    );
    const line = argv.join(' ');
    const made = isPlaceholder(join(root, 'new'));
    await finish(ended);
    for (const server of sockets) server.close();

    expect(line).toContain(`--bind ${root} ${root}`);
    expect(line).toContain(`--bind ${join(root, 'deep')} ${join(root, 'deep')}`);
    expect(line).toContain(`--ro-bind ${join(root, 'deep', 'er')} `);
    expect(line).toContain(`--perms 0555 --tmpfs ${join(root, 'new')}`);
    expect(line).toContain(`--ro-bind /dev/null ${join(root, 'deep', 'hidden')}`);
    expect(line).toContain(`--ro-bind /dev/null ${join(root, 'deep', 'shut')}`);
    expect(line).toContain(`--ro-bind ${join(root, 'deep', 'open')} ${join(root, 'deep', 'open')}`);
    expect(line).not.toContain('/elsewhere');
    expect(line).not.toContain('/not/shown');
    expect([made, readdirSync(root)]).toEqual([true, ['deep']]);
  });

  it('puts back a link that is gone or replaced, takes away what must not be, and says when the wall fell', async () => {
    mkdirSync(join(root, '.git'));
    symlinkSync('../own', join(root, '.git', 'hooks'));
    symlinkSync('x', join(root, '.npmrc'));
    const { finish } = contained(policyOf());
    rmSync(join(root, '.git', 'hooks'));
    mkdirSync(join(root, '.git', 'hooks'));
    rmSync(join(root, '.npmrc'));
    mkdirSync(join(root, '.git', 'commondir'));
    const { violations, failure } = await finish({ code: 1, stderr: 'bwrap: no more\n' });

    expect(violations.map(({ detail }) => detail).sort()).toEqual([
      join(root, '.git', 'commondir'),
      join(root, '.git', 'hooks'),
      join(root, '.npmrc'),
    ]);
    expect(failure).toBe('no more');
    expect([readlinkSync(join(root, '.git', 'hooks')), readlinkSync(join(root, '.npmrc'))]).toEqual(['../own', 'x']);
    expect(lstatSync(join(root, '.git', 'commondir'), { throwIfNoEntry: false })).toBeUndefined();
    expect(readdirSync(join(root, '.git')).some((name) => name.startsWith('hooks.planted-'))).toBe(true);
  });

  it('takes what a command tells of a bwrap of its own for no fault of the wall', async () => {
    const { failure } = await contained(policyOf()).finish({ code: 1, stderr: 'building\nbwrap: no more\nfailed\n' });

    expect(failure).toBeUndefined();
  });

  it('is an error where the directory is gone, or cannot be protected', async () => {
    writeFileSync(join(root, 'file'), '');

    expect(() => contained({ ...policyOf(), root: join(root, 'gone') })).toThrow('the directories cannot be looked at');
    expect(() => contained(policyOf({ readOnly: [join(root, 'file', 'below')] }))).toThrow('ENOTDIR');
    await expect.poll(() => readdirSync(root)).toEqual(['file']);
  });
});

describe('a placeholder', () => {
  it('stays for whoever still needs it, and is not taken away from who has used it', async () => {
    const [one, two] = [join(root, 'one'), join(root, 'two')];
    takePlaceholders([one, two]);
    takePlaceholders([one]);
    rmSync(two, { recursive: true });
    mkdirSync(join(two, 'mine'), { recursive: true });

    await givePlaceholdersBack([one, two]);
    const between = isPlaceholder(one);
    await givePlaceholdersBack([one]);

    expect([between, readdirSync(root)]).toEqual([true, ['two']]);
  });
});

describe('bubblewrapDriver', () => {
  const as = async (name: 'platform' | 'arch', value: string) => {
    const real = Object.getOwnPropertyDescriptor(process, name)!;
    Object.defineProperty(process, name, { value, configurable: true });
    return await bubblewrapDriver()
      .probe(policyOf())
      .finally(() => Object.defineProperty(process, name, real));
  };

  it('says what this machine lacks', async () => {
    expect(await as('platform', 'darwin')).toEqual(['it exists on Linux only, and this is darwin']);
  });

  it.skipIf(process.platform !== 'linux')(
    'says what is missing on Linux, and that a command in it has failed (Linux)',
    async () => {
      expect(await as('arch', 'mips')).toEqual(['there is no system call filter for mips']);
      mkdirSync(join(root, 'bin'));
      const outside = realpathSync(mkdtempSync(join(tmpdir(), 'bwrap-')));
      writeFileSync(join(outside, 'bwrap'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
      const path = process.env['PATH'];
      process.env['PATH'] = outside;
      const reasons = await bubblewrapDriver()
        .probe(policyOf())
        .finally(() => (process.env['PATH'] = path));
      rmSync(outside, { recursive: true });

      expect(reasons).toEqual(['a command in it ended with code 3']);
      await expect(
        bubblewrapDriver().contain({ command: 'true', cwd: root, env: {} }, policyOf()),
      ).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    },
  );
});
