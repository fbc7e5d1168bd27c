import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from './paths.mjs';

const TMPFS_MAGIC = 0x01021994;

/**
 * A folder for what the drivers write. It is deleted once, when this process ends: on ext4, files that are created
 * shortly after others were deleted cost a multiple of CPU time.
 */
export function createScratch() {
  mkdirSync(HOME, { recursive: true });
  const scratch = mkdtempSync(join(HOME, 'scratch-'));
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
  return scratch;
}

/** In a memory file system an fsync costs nothing, and a durable store looks better than it is. */
export function isInMemory(folder) {
  return statfsSync(folder).type === TMPFS_MAGIC;
}
