import type { FileDoors } from '../src/doors/file-doors.ts';
import { linuxDoors } from '../src/doors/linux-doors.ts';
import { portableDoors } from '../src/doors/portable-doors.ts';

/** Each kind of doors that can be made here, with the file that makes it. */
export const doorKinds: Readonly<Record<string, { make: (root: string) => FileDoors; source: URL }>> = {
  portableDoors: { make: portableDoors, source: new URL('../src/doors/portable-doors.ts', import.meta.url) },
  ...(process.platform === 'linux'
    ? { linuxDoors: { make: linuxDoors, source: new URL('../src/doors/linux-doors.ts', import.meta.url) } }
    : {}),
};
