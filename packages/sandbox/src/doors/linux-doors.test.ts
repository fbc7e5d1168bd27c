import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linuxDoors } from './linux-doors.ts';
import { TEMPORARY_PREFIX } from './temporary-names.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'doors-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const hasNamespaces = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

const bytes = (text: string) => new TextEncoder().encode(text);

describe.runIf(process.platform === 'linux')('linuxDoors (skipped elsewhere: they need /proc)', () => {
  const raw = (...name: readonly number[]) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name)]);

  it('reach a file whose name is no UTF-8 by every door', async () => {
    const doors = linuxDoors(root);
    await mkdir(raw(0xff));
    await writeFile(raw(0xff, 0x2f, 0xe9), 'old');

    const listed: string[] = [];
    for await (const { name } of doors.list('\udcff')) listed.push(name);
    const path = await doors.resolve(`\udcff/${listed[0]}`);
    await doors.writeFile(path, await doors.readFile(path), { noFollow: true });
    await doors.makeLink('\udcff/link', '\udce9');

    expect(path).toBe(`${root}/\udcff/\udce9`);
    expect(await doors.stat(path)).toMatchObject({ kind: 'file', size: 3 });
    expect(new TextDecoder().decode(await doors.readFile('\udcff/link'))).toBe('old');
    expect(await readdir(raw(0xff), { encoding: 'latin1' })).toEqual(['link', '\xe9']);
    await doors.remove(path);
    await doors.makeDirectory('\udcff/\udce9/deep');
    expect(await readdir(raw(0xff, 0x2f, 0xe9))).toEqual(['deep']);
  });

  it('write the names of new directories to the disk as well', async () => {
    const synced: string[] = [];
    const { fsyncSync } = fs;
    const watched: typeof fsyncSync = (descriptor) => {
      synced.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`));
      fsyncSync(descriptor);
    };
    const use = (own: typeof fsyncSync) => {
      fs.fsyncSync = own;
      syncBuiltinESMExports();
    };

    use(watched);
    await linuxDoors(root)
      .writeFile('new/deep/file', bytes('x'))
      .finally(() => use(fsyncSync));

    expect(synced).toEqual([root, join(root, 'new')]);
  });

  it('refuse half a character that stands for no byte', async () => {
    await expect(linuxDoors(root).readFile('\ud800')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('read a file that another program replaces all the time', async () => {
    const doors = linuxDoors(root);
    const program = `const { renameSync, writeFileSync } = require('node:fs');
      for (console.log('begun'); ; ) { writeFileSync('n', 'whole'); renameSync('n', 'a'); }`;
    await writeFile(join(root, 'a'), 'whole');
    const other = spawn(process.execPath, ['--eval', program], { cwd: root });
    const ended = once(other, 'exit');
    const texts = new Set<string>();

    try {
      await once(other.stdout, 'data');
      for (let turn = 0; turn < 300; turn += 1) texts.add(Buffer.from(await doors.readFile('a')).toString());
    } finally {
      other.kill('SIGKILL');
      await ended;
    }

    expect([...texts]).toEqual(['whole']);
  });

  it('name the path in their errors, not what is open', async () => {
    const doors = linuxDoors(root);
    await mkdir(join(root, 'full/deep'), { recursive: true });
    await writeFile(join(root, 'full/a'), '');

    await expect(doors.remove('full')).rejects.toThrow(`rmdir '${root}/full'`);
    await expect(doors.remove('full/b')).rejects.toThrow(`lstat '${root}/full/b'`);
    await expect(doors.makeLink('full/a', 'x')).rejects.toThrow(`'x' -> '${root}/full/a'`);
    await expect(doors.makeDirectory(`full/${'x'.repeat(300)}/y`)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await expect(doors.writeFile(`full/${'x'.repeat(300)}`, bytes(''))).rejects.toThrow(`'${root}/full/xxx`);
  });

  it.runIf(process.getuid?.() !== 0)('name a directory that must not be listed (root may list every one)', async () => {
    await mkdir(join(root, 'closed'), { mode: 0o333 });

    const listing = linuxDoors(root).list('closed')[Symbol.asyncIterator]().next();

    await expect(listing).rejects.toThrow(`opendir '${root}/closed'`);
  });

  it('know a name that ends as the system marks removed files', async () => {
    const doors = linuxDoors(root);
    await doors.writeFile('a (deleted)', bytes('x'));

    expect(await doors.resolve('a (deleted)')).toBe(`${root}/a (deleted)`);
    expect(await doors.readFile('a (deleted)')).toHaveLength(1);
  });

  it.runIf(hasNamespaces)(
    'are not taken in by a mount namespace that has a place of the same name (skipped where unshare cannot make one)',
    async () => {
      await symlink('nowhere', join(root, 'dir'));
      const script =
        'mount -t tmpfs none "$0" && mkdir -p "$0/dir/sub" && echo foreign > "$0/dir/sub/f" && echo && exec sleep 60';
      const other = spawn('unshare', ['-rm', 'bash', '-c', script, root]);
      await once(other.stdout, 'data');
      await rm(join(root, 'dir'));
      await symlink(`/proc/${other.pid}/root${root}/dir`, join(root, 'dir'));
      const doors = linuxDoors(root);

      const place = await doors.resolve('dir/sub/f');
      const through = [doors.readFile('dir/sub/f'), doors.readFile(place, { noFollow: true })];
      const results = await Promise.allSettled([...through, doors.writeFile(place, bytes('x'), { noFollow: true })]);
      const byName = await readFile(join(root, 'dir/sub/f'), 'utf8'); // control: it leads there
      other.kill('SIGKILL');
      await once(other, 'exit');

      expect(place).toBe(`${root}/dir/sub/f`); // what the system says is no proof
      expect(results).toEqual(results.map(() => ({ status: 'rejected', reason: changed })));
      expect(byName).toBe('foreign\n');
    },
  );

  it('leave nothing open, whatever happens', async () => {
    const doors = linuxDoors(root);
    await mkdir(join(root, 'dir'));
    await symlink('a', join(root, 'link'));

    for (const path of ['missing/a', 'dir', 'link', 'link/a', 'x'.repeat(300)]) {
      const use = { noFollow: true };
      await doors.readFile(path, use).catch(() => undefined);
      await doors.writeFile(path, bytes('x'), use).catch(() => undefined);
      await doors.stat(path, use).catch(() => undefined);
      await doors.remove(`${path}/b`, use).catch(() => undefined);
      await doors.makeDirectory(path, use).catch(() => undefined);
      for await (const _ of doors.list('.')) break;
    }

    const opened = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    expect(opened.filter((path) => path.startsWith(root))).toEqual([]);
  });

  it('remove what a killed process has left where they write first, and nothing else', async () => {
    const source = new URL('./linux-doors.ts', import.meta.url).pathname;
    const code = `import { linuxDoors } from ${JSON.stringify(source)};
      const doors = linuxDoors(${JSON.stringify(root)});
      for (;;) await doors.writeFile('a', new Uint8Array(50_000_000));`;
    const killed = spawn(process.execPath, ['--conditions=@x/source', '--input-type=module', '--eval', code]);
    await expect.poll(() => readdir(root), { timeout: 10_000, interval: 1 }).toContainEqual(unfinished);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const [left] = (await readdir(root)).filter((name) => name.startsWith(TEMPORARY_PREFIX));
    const own = left!.replace(/-\d+\.\d+\./, `-${process.pid}.${await startOfThis()}.`);
    const elsewhere = `${TEMPORARY_PREFIX}7.7.00000000.7.x`;
    const old = `${TEMPORARY_PREFIX}of-an-older-kind`;
    for (const name of [own, elsewhere, old]) await writeFile(join(root, name), '');
    await utimes(join(root, old), new Date(0), new Date(0));

    const doors = linuxDoors(root);
    await doors.writeFile('sub/b', bytes(''));
    expect(await readdir(root)).toContain(left);
    await doors.writeFile('b', bytes(''));

    const names = (await readdir(root)).filter((name) => name.startsWith(TEMPORARY_PREFIX));
    expect(names.toSorted()).toEqual([own, elsewhere].toSorted());
  });
});

const changed: unknown = expect.objectContaining({ code: 'PATH_CHANGED' });
const unfinished: unknown = expect.stringContaining(TEMPORARY_PREFIX);

async function startOfThis(): Promise<string> {
  return (await readFile('/proc/self/stat', 'utf8')).replace(/.*\) /, '').split(' ')[19]!;
}
