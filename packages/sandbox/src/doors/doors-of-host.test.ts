import { execFile } from 'node:child_process';
import { chown, mkdtemp, open, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceContract } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doorKinds } from '../../test/door-kinds.ts';
import { hostWorkspace } from '../host-workspace.ts';
import { doorsOfHost } from './doors-of-host.ts';
import type { FileDoors } from './file-doors.ts';
import { TEMPORARY_PREFIX } from './temporary-names.ts';

const run = promisify(execFile);
const onLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'doors-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(Object.entries(doorKinds))('%s (of Linux only there)', (name, kind) => {
  let doors: FileDoors;
  beforeEach(() => {
    doors = kind.make(root);
  });

  describe('writing', () => {
    it('replaces the file, so that who has it open keeps the old one', async () => {
      await doors.writeFile('a.txt', bytes('old'));
      await using held = await open(join(root, 'a.txt'));

      await doors.writeFile('a.txt', bytes('new'));

      expect(await held.readFile('utf8')).toBe('old');
      expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('new');
    });

    it('would see a file written in place change under its reader (control)', async () => {
      await doors.writeFile('a.txt', bytes('old'));
      await using held = await open(join(root, 'a.txt'));

      await writeFile(join(root, 'a.txt'), 'new');

      expect(await held.readFile('utf8')).toBe('new');
    });

    it('shows no reader a half-written file', async () => {
      const sizes = new Set<number>();
      let writing = true;
      await doors.writeFile('a.txt', new Uint8Array(300_000));

      const writer = (async () => {
        for (let turn = 0; turn < 20; turn += 1) await doors.writeFile('a.txt', new Uint8Array(300_000 + (turn % 2)));
        writing = false;
      })();
      while (writing) sizes.add((await doors.readFile('a.txt')).length);
      await writer;

      expect([...sizes].filter((size) => size < 300_000)).toEqual([]);
    });

    it('gives a new file 0644 less the umask', async () => {
      const umask = process.umask(0o027);

      await doors.writeFile('a.txt', bytes('')).finally(() => process.umask(umask));

      expect((await doors.stat('a.txt'))?.mode).toBe(0o640);
    });

    it.runIf(isRoot)('keeps the owner of a replaced file', async () => {
      await doors.writeFile('a.txt', bytes('old'));
      await chown(join(root, 'a.txt'), 12_345, 12_346);

      await doors.writeFile('a.txt', bytes('new'));

      expect(await stat(join(root, 'a.txt'))).toMatchObject({ uid: 12_345, gid: 12_346 });
    });

    it.runIf(onLinux)('leaves the old file and no other when the disk takes no more', async () => {
      await doors.writeFile('a.txt', bytes('old'));
      const source = kind.source.pathname;
      const code = `import { ${name} } from ${JSON.stringify(source)};
      await ${name}(${JSON.stringify(root)}).writeFile('a.txt', new Uint8Array(1_000_000)).catch((e) => console.log(e.code));`;
      const node = `exec ${process.execPath} --conditions=@x/source --input-type=module --eval "$CODE"`;

      const { stdout } = await run('bash', ['-c', `trap '' XFSZ; ulimit -f 16; ${node}`], {
        env: { ...process.env, CODE: code },
      });

      expect(stdout.trim()).toBe('EFBIG');
      expect(await readdir(root)).toEqual(['a.txt']);
      expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('old');
    });

    it('uses a fixed prefix for unfinished files', async () => {
      const seen = new Set<string>();
      let writing = true;

      const writer = (async () => {
        for (let turn = 0; turn < 10; turn += 1) await doors.writeFile('a.txt', new Uint8Array(2_000_000));
        writing = false;
      })();
      while (writing) for (const name of await readdir(root)) seen.add(name);
      await writer;

      expect([...seen].every((name) => name === 'a.txt' || name.startsWith(TEMPORARY_PREFIX))).toBe(true);
      expect(seen.size).toBeGreaterThan(1);
    });

    it('refuses to replace what is not a file', async () => {
      await run('mkfifo', [join(root, 'pipe')]);

      await expect(doors.writeFile('pipe', bytes('x'))).rejects.toMatchObject({ code: 'NOT_A_FILE' });
      expect(await doors.stat('pipe')).toMatchObject({ kind: 'other' });
    });
  });

  describe('reading', () => {
    it('refuses a pipe at once instead of waiting for a writer', async () => {
      await run('mkfifo', [join(root, 'pipe')]);

      await expect(doors.readFile('pipe')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    });

    it.each(['/dev/zero', '/dev/null'])('refuses the device %s, also behind a link', async (device) => {
      await symlink(device, join(root, 'link'));

      await expect(doors.readFile('link')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    });

    it.runIf(onLinux).each(['/proc/self/environ', '/proc/thread-self/maps', '/proc/self/root/proc/self/status'])(
      'refuses %s, which tells of this process, also behind a link',
      async (path) => {
        await symlink(path, join(root, 'link'));

        await expect(doors.readFile(path)).rejects.toMatchObject({ code: 'NOT_A_FILE' });
        await expect(doors.readFile('link')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
      },
    );

    it('reads an empty file', async () => {
      await doors.writeFile('empty', bytes(''));

      expect(await doors.readFile('empty')).toHaveLength(0);
    });

    it.runIf(onLinux)('reads a file whose path leads through a link of the process', async () => {
      await doors.writeFile('full', bytes('x'));

      expect(await doors.readFile(`/proc/self/root${await doors.resolve('full')}`)).toHaveLength(1);
    });

    it('refuses a file that is too large before reading it', async () => {
      await using file = await open(join(root, 'large'), 'w');
      await file.truncate(300 * 1024 * 1024);

      await expect(doors.readFile('large')).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    });
  });

  describe('resolving', () => {
    it('refuses a path that is longer than any at once', async () => {
      for (const path of ['a/'.repeat(300_000), `x/${'../y/'.repeat(300_000)}`, 'a'.repeat(1_000_000)]) {
        await expect(doors.resolve(path)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
        await expect(doors.readFile(path)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
      }
    });

    it('follows a chain of links to where a missing file would be', async () => {
      await doors.makeDirectory('real/deep');
      await doors.makeLink('one', 'two');
      await doors.makeLink('two', 'real/deep/../missing');

      expect(await doors.resolve('one/below')).toBe(join(await doors.resolve('real'), 'missing/below'));
    });
  });

  describe('keeps the promises of every workspace', () => {
    const fresh = async () => {
      const cwd = await mkdtemp(join(tmpdir(), 'doors-'));
      return {
        workspace: { ...hostWorkspace({ cwd }), ...kind.make(cwd) },
        dispose: () => rm(cwd, { recursive: true, force: true }),
      };
    };
    for (const item of workspaceContract(fresh, { commands: false })) {
      it(item.name, () => expect(item.run()).resolves.toBeUndefined());
    }
  });
});

describe('doorsOfHost', () => {
  it('are those without races on Linux (elsewhere those by name)', async () => {
    const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff])]);
    const made = await writeFile(name, 'x').then(
      () => true,
      () => false, // a system whose names are text
    );

    const found: string[] = [];
    for await (const entry of doorsOfHost(root).list('.')) found.push(entry.name);

    expect(found).toEqual(!made ? [] : [onLinux ? 'a\udcff' : 'a\ufffd']);
  });
});
