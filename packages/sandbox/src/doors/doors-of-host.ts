import { closeSync } from 'node:fs';
import type { FileDoors } from './file-doors.ts';
import { holdDirectory } from './held-place.ts';
import { linuxDoors } from './linux-doors.ts';
import { portableDoors } from './portable-doors.ts';

/** The best doors that this system has: on Linux with `/proc` those without races, elsewhere those by name. */
export function doorsOfHost(root: string): FileDoors {
  return process.platform === 'linux' && canHold() ? linuxDoors(root) : portableDoors(root);
}

function canHold(): boolean {
  try {
    closeSync(holdDirectory('/').fd);
    return true;
  } catch {
    return false; // no /proc, or not one of this process
  }
}
