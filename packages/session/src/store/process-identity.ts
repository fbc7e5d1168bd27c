import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies this process, also against a later one with the same number; undefined where that is not possible. */
export function processIdentity(): string | undefined {
  const place = placeOf();
  const startedAt = startOf(process.pid);
  return place && startedAt && `${place}/${process.pid}/${startedAt}`;
}

/**
 * True only when the process of this identity has certainly ended: same boot, same process namespace, and its number is free, a
 * zombie's, or another process's by now. Anything unknown counts as living.
 */
export function hasEnded(identity: string): boolean {
  const [boot, namespace, pid, startedAt] = identity.split('/');
  if (!pid || !startedAt || `${boot}/${namespace}` !== placeOf()) return false;
  return startOf(Number(pid)) !== startedAt;
}

/** The boot of this machine and the namespace in which process numbers count. */
function placeOf(): string | undefined {
  const boot = bootOfMachine();
  const namespace = orUndefined(() => readlinkSync('/proc/self/ns/pid'));
  return boot && namespace && `${boot}/${namespace}`;
}

/** Identifies this boot of this machine; undefined where that is not possible. */
export function bootOfMachine(): string | undefined {
  return orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

/**
 * Clock ticks after boot at which a living process was started (proc_pid_stat(5), fields 3 and 22); undefined when there is no such
 * process.
 */
function startOf(pid: number): string | undefined {
  const stat = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function orUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined; // no such process, or no /proc
  }
}
