import { readlinkSync } from 'node:fs';
import { bootOfMachine } from './process-identity.ts';

/** A clock for leases: it runs evenly, whatever is done to the time of day, and is the same in every process that names it. */
export interface LeaseClock {
  readonly name: string;
  /** Milliseconds. */
  now(): number;
}

/**
 * The monotonic clock of this machine since its boot (clock_gettime(2), `CLOCK_MONOTONIC`); undefined where it is not known that other
 * processes see the same one, as everywhere but on Linux.
 */
export function leaseClock(): LeaseClock | undefined {
  const boot = bootOfMachine();
  if (process.platform !== 'linux' || boot === undefined) return undefined;
  return { name: `${boot}/${timeNamespace()}`, now: () => Math.round(Number(process.hrtime.bigint()) / 1e6) };
}

/** Containers may have a clock of their own (time_namespaces(7)). */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return 'time'; // an older kernel: there is only one
  }
}
