import { chmodSync, closeSync, constants, fchmodSync, openSync, readlinkSync } from 'node:fs';

/** Opens a directory that is closed to its owner, too; Node has no name for it. */
const O_PATH = 0o10000000;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Sets the mode of a directory. @throws Error when the place is none, or a link leads to it */
export function setDirectoryMode(place: string | Buffer, mode: number): void {
  const isLinux = process.platform === 'linux';
  const descriptor = openSync(place, (isLinux ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (!isLinux) return fchmodSync(descriptor, mode);
    const real = readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: 'buffer' });
    if (!real.equals(Buffer.from(place))) throw new Error('a link leads elsewhere');
    chmodSync(`/proc/self/fd/${descriptor}`, mode);
  } finally {
    closeSync(descriptor);
  }
}
