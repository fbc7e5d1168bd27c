import type promises from 'node:fs/promises';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { replaceFile } from './replace-file.ts';

/** What the system answers instead, while it is set. */
const system = vi.hoisted((): { owner?: number; chown?: string; unlink?: string } => ({}));
/** What was asked of it. */
const asked = vi.hoisted(() => ({ opened: [] as unknown[], owners: [] as unknown[] }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const failure = (code: string) => Object.assign(new Error(code), { code });
  return {
    ...real,
    async open(...args: Parameters<typeof real.open>) {
      asked.opened.push(args[0]);
      const file = await real.open(...args);
      const facts = file.stat.bind(file);
      const { owner, chown } = system;
      if (owner !== undefined)
        Object.assign(file, { stat: async () => Object.assign(await facts(), { uid: owner, gid: owner }) });
      file.chown = async (...ids) => {
        asked.owners.push(ids);
        if (chown !== undefined) throw failure(chown);
      };
      return file;
    },
    async unlink(path: string) {
      await real.unlink(path);
      if (system.unlink !== undefined) throw failure(system.unlink);
    },
  };
});

const bytes = (text: string) => new TextEncoder().encode(text);
const platform = Object.getOwnPropertyDescriptor(process, 'platform')!; // every process has one

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replace-'));
  path = join(folder, 'a');
  await writeFile(path, 'old');
});
afterEach(async () => {
  Object.assign(system, { owner: undefined, chown: undefined, unlink: undefined });
  Object.assign(asked, { opened: [], owners: [] });
  Object.defineProperty(process, 'platform', platform);
  await rm(folder, { recursive: true });
});
const modeOf = async () => (await stat(path)).mode & 0o7777;

describe.skipIf(process.platform === 'win32')('replaceFile, where files have owners and modes (not on Windows)', () => {
  it('gives the new file to the owner of the old one, without its right to act as that owner', async () => {
    await chmod(path, 0o4750);
    const { uid, gid } = await stat(path);
    system.owner = 4_711;

    await replaceFile(path, bytes('new'), { cwd: () => folder });

    expect(asked.owners).toEqual([[uid, gid]]);
    expect(await modeOf()).toBe(0o750);
  });

  it('drops that right also where it could not be given to the old owner, and where a mode asks for it', async () => {
    await chmod(path, 0o4750);
    Object.assign(system, { owner: 4_711, chown: 'EPERM' });

    await replaceFile(path, bytes('new'), { cwd: () => folder });

    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await modeOf()).toBe(0o750);
    await replaceFile(path, bytes('newer'), { cwd: () => folder, mode: 0o6755 });
    expect(await modeOf()).toBe(0o755);
  });

  it('asks for no other owner where it is the same', async () => {
    await replaceFile(path, bytes('new'), { cwd: () => folder });

    expect(asked.owners).toEqual([]);
  });

  it.each([undefined, 'EACCES'])(
    'leaves the old file and no other when it fails, and tells why, also where removing fails with %s',
    async (unlink) => {
      Object.assign(system, { owner: 4_711, chown: 'EIO', unlink });

      await expect(replaceFile(path, bytes('new'), { cwd: () => folder })).rejects.toMatchObject({ code: 'EIO' });

      expect(await readdir(folder)).toEqual(['a']);
      expect(await readFile(path, 'utf8')).toBe('old');
    },
  );

  it('passes on why it cannot look at what has the name', async () => {
    await expect(replaceFile(join(folder, 'x'.repeat(300)), bytes('new'), { cwd: () => folder })).rejects.toMatchObject(
      {
        code: 'ENAMETOOLONG',
      },
    );
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('refuses to replace a directory', async () => {
    await expect(replaceFile(folder, bytes('new'), { cwd: () => folder })).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('opens no directory on Windows, where they cannot be opened', async () => {
    await replaceFile(path, bytes('one'), { cwd: () => folder });
    expect(asked.opened.splice(0)).toContain(folder);

    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    await replaceFile(path, bytes('two'), { cwd: () => folder });

    expect(asked.opened).toEqual([expect.stringContaining('.agent-sdk-tmp-')]);
    expect(await readFile(path, 'utf8')).toBe('two');
  });
});
