import { readFileSync } from 'node:fs';
import type { SandboxPolicy } from '../../driver/driver.ts';

type Limits = SandboxPolicy['limits'];

interface Host {
  /** See `hardLimits`. */
  readonly hard: ReadonlyMap<string, number>;
  readonly isRoot: boolean;
}

/**
 * The beginning of a shell line that sets the limits, or ends with code 126 when one cannot be set. `hard` are those of this process, which
 * nothing can raise. Memory is counted as RLIMIT_DATA, which leaves out what programs only reserve, as Node does by the gigabyte.
 */
export function limitsPrelude(limits: Limits, { hard, isRoot }: Host): string {
  const { cpuSeconds, memoryMb, processes, fileSizeMb } = limits;
  const parts = [
    part('t', cpuSeconds, hard.get('Max cpu time')),
    part('d', memoryMb && memoryMb * 1024, kibibytes(hard.get('Max data size'))),
    part('f', fileSizeMb && fileSizeMb * 1024, kibibytes(hard.get('Max file size'))),
    part('u', isRoot ? undefined : processes, hard.get('Max processes')), // for root a process group holds it
  ].filter((one) => one !== '');
  return parts.length === 0 ? '' : `ulimit ${parts.join(' ')} || exit 126; `;
}

function part(option: string, wanted: number | undefined, hard = Number.POSITIVE_INFINITY): string {
  return wanted === undefined ? '' : `-${option} ${Math.min(wanted, hard)}`;
}

function kibibytes(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : Math.floor(bytes / 1024);
}

/** The hard limits of this process by their names in `/proc/self/limits`; those without a limit are left out. */
export function hardLimits(): Map<string, number> {
  const lines = readFileSync('/proc/self/limits', 'utf8').split('\n');
  return new Map(
    lines.flatMap((line): [string, number][] => {
      const [, name, hard] = /^(Max [a-z ]+?) {2,}\S+ +(\d+)/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(hard)]];
    }),
  );
}
