import { closeSync } from 'node:fs';
import type { FileDoors } from './file-doors.ts';
import { holdDirectory } from './held-place.ts';
import { linuxDoors } from './linux-doors.ts';
import { portableDoors } from './portable-doors.ts';

/** Once a place could be held here, that is not tried again: each session has doors, and most of them open none. */
let holds = false;

/** The best doors that this system has: on Linux with `/proc` those without races, elsewhere those by name. */
export function doorsOfHost(root: string): FileDoors {
  return process.platform === 'linux' && (holds ||= canHold()) ? linuxDoors(root) : portableDoors(root);
}

function canHold(): boolean {
  try {
    closeSync(holdDirectory('/').fd);
    return true;
  } catch {
    return false; // no /proc, or not one of this process
  }
}
