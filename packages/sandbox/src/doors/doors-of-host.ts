import { existsSync } from 'node:fs';
import type { FileDoors } from './file-doors.ts';
import { linuxDoors } from './linux-doors.ts';
import { portableDoors } from './portable-doors.ts';

/** The best doors that this system has: on Linux with `/proc` those without races, elsewhere those by name. */
export function doorsOfHost(root: string): FileDoors {
  return process.platform === 'linux' && existsSync('/proc/self/fd') ? linuxDoors(root) : portableDoors(root);
}
