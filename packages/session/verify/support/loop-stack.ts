import { execFile } from 'node:child_process';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MEGABYTE = 1024 * 1024;

/**
 * An XFS file system in a file, which holds the image of an ext4 file system, which holds what a writer writes: a clone of that image,
 * made in one step, is the disk as it would be after a power cut at that moment. What no fsync has asked for is not in it.
 */
export interface LoopStack {
  /** On the ext4 file system. */
  readonly disk: string;
  /** The disk at this moment. `use` sees a folder that is the root of it, after the journal was replayed. */
  cut<T>(use: (folder: string) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** In a folder of the caller's; to be called where mounts end with the process (see `withOwnMounts`). */
export async function loopStack(folder: string): Promise<LoopStack> {
  const place = (name: string) => join(folder, name);
  const mounted: string[] = [];
  const mount = async (image: string, at: string) => {
    await mkdir(at, { recursive: true });
    await run('mount', ['-o', 'loop', image, at]);
    mounted.push(at);
  };
  const close = async () => {
    for (const at of mounted.splice(0).toReversed()) await unmount(at);
  };
  try {
    await imageFile(place('outer.img'), 600 * MEGABYTE);
    await run('mkfs.xfs', ['-q', '-m', 'reflink=1', place('outer.img')]);
    await mount(place('outer.img'), place('outer'));
    const image = join(place('outer'), 'disk.img');
    await imageFile(image, 48 * MEGABYTE);
    await run('mkfs.ext4', ['-q', '-F', image]);
    await mount(image, place('disk'));
    let cuts = 0;
    return {
      disk: place('disk'),
      async cut(use) {
        const name = `cut-${++cuts}`;
        const clone = join(place('outer'), `${name}.img`);
        await run('cp', ['--reflink=always', image, clone]);
        await mount(clone, place(name));
        try {
          return await use(place(name));
        } finally {
          await unmount(place(name));
          mounted.splice(mounted.indexOf(place(name)), 1);
          await rm(clone);
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Commands of a killed writer end with it, a moment later: until then they keep their working directory busy. */
async function unmount(at: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await run('umount', [at]);
      return;
    } catch (error) {
      if (attempt === 200 || !String(error).includes('busy')) throw error;
      await sleep(50);
    }
  }
}

async function imageFile(path: string, bytes: number): Promise<void> {
  await writeFile(path, '');
  await truncate(path, bytes);
}
