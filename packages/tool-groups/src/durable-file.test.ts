import type promises from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileRoleStore } from './file-role-store.ts';
import { roleWith } from './testing/role-store-case.ts';

/** What was asked of the system, in order; the names of files that are being written are left out. */
const asked = vi.hoisted((): string[] => []);

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const named = (path: unknown) => basename(String(path)).replace(/^\.role-tmp-.*/, 'new');
  return {
    ...real,
    async open(...args: Parameters<typeof real.open>) {
      const file = await real.open(...args);
      const sync = file.sync.bind(file);
      file.sync = async () => {
        await sync();
        asked.push(`sync ${named(args[0])}`);
      };
      return file;
    },
    async rename(from: string, to: string) {
      await real.rename(from, to);
      asked.push(`rename ${named(from)} ${named(to)}`);
    },
    async unlink(path: string) {
      await real.unlink(path);
      asked.push(`unlink ${named(path)}`);
    },
    async mkdir(...args: Parameters<typeof real.mkdir>) {
      const made = await real.mkdir(...args);
      asked.push(`mkdir ${named(args[0])}`);
      return made;
    },
  };
});

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-'));
  asked.splice(0);
});
afterEach(() => rm(folder, { recursive: true }));

const role = roleWith({ id: 'a' });

describe.skipIf(process.platform === 'win32')(
  'fileRoleStore on the disk (not on Windows: directories cannot be opened there)',
  () => {
    it('has written the file before it has its name, and the name before it answers', async () => {
      const store = fileRoleStore({ directory: folder });
      await store.save(role);

      const [file, directory] = ['role-a.json', basename(folder)];
      expect(asked.slice(-3)).toEqual(['sync new', `rename new ${file}`, `sync ${directory}`]);
      await store.close();
    });

    it('has written that a role is gone before it answers', async () => {
      const store = fileRoleStore({ directory: folder });
      await store.save(role);
      asked.splice(0);
      await store.delete('a');

      expect(asked).toEqual(['unlink role-a.json', `sync ${basename(folder)}`]);
      await store.close();
    });

    it('has written the names of the directories it makes, each in the one above', async () => {
      const store = fileRoleStore({ directory: join(folder, 'one', 'two') });
      await store.save(role);

      const top = basename(folder);
      expect(asked.slice(0, 4)).toEqual(['mkdir one', `sync ${top}`, 'mkdir two', 'sync one']);
      await store.close();
    });

    it('writes the name of a directory that somebody else has made, once', async () => {
      const store = fileRoleStore({ directory: folder });
      await store.save(role);
      await store.save(role);

      expect(asked.filter((one) => one === `sync ${basename(tmpdir())}`)).toHaveLength(1);
      await store.close();
    });
  },
);
