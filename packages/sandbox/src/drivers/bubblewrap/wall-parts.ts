import type { SandboxPolicy } from '../../driver/driver.ts';
import { hasFilter, seccompFilter } from '../seccomp/seccomp-filter.ts';
import { hostView, toolChains } from './host-view.ts';
import { hardLimits } from './limits.ts';
import { lost } from './lost.ts';

/** The parts of a wall that do not depend on the command. */
export interface WallParts {
  readonly isRoot: boolean;
  /** See `hardLimits`. */
  readonly hard: ReadonlyMap<string, number>;
  host(memoryMb: number | undefined): readonly string[];
  tools(path: string, policy: SandboxPolicy): readonly string[];
  /** The system call filter. */
  filter(unixSockets: boolean): Uint8Array;
}

/** Arguments that are the same for many commands, and made once. */
export function wallParts(isRoot: boolean): WallParts {
  const made = new Map<string, string[]>();
  const once = (key: string, make: () => string[]) => {
    let known = made.get(key);
    if (!known) made.set(key, (known = make()));
    return known;
  };
  const filters = new Map<boolean, Uint8Array>();
  return {
    isRoot,
    hard: hardLimits(),
    host: (memoryMb: number | undefined) => once(`host ${memoryMb}`, () => hostView({ isRoot, memoryMb })),
    tools: (path: string, { root, files }: SandboxPolicy) =>
      once(`tools ${path}`, () => toolChains(path, [root, ...files.write, ...files.hidden])),
    filter(unixSockets: boolean): Uint8Array {
      let known = filters.get(unixSockets);
      if (!known && hasFilter(process.arch))
        filters.set(unixSockets, (known = seccompFilter(process.arch, { unixSockets })));
      if (!known) throw lost(`there is no system call filter for ${process.arch}`);
      return known;
    },
  };
}
