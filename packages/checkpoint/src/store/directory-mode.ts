import { closeSync, constants, fchmodSync, openSync, readlinkSync } from 'node:fs';

/** Sets the mode of a directory. @throws Error when the place is none, or a link leads to it */
export function setDirectoryMode(place: string | Buffer, mode: number): void {
  const descriptor = openSync(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (process.platform === 'linux') {
      const real = readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: 'buffer' });
      if (!real.equals(Buffer.from(place))) throw new Error('a link leads elsewhere');
    }
    fchmodSync(descriptor, mode);
  } finally {
    closeSync(descriptor);
  }
}
