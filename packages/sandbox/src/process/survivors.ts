import { readFileSync, readlinkSync } from 'node:fs';
import { sleep } from '@x/core';
import { kill, killGroup } from './kill-tree.ts';
import { bearersOf, isLiving, startOf } from './process-table.ts';

const MARK = /^[0-9a-f]{8}\.\d+\.[0-9a-f-]{36}$/;
/** Milliseconds that the system has to end what was killed. */
const PATIENCE_MS = 5_000;

/** A fresh mark for the commands of one call; it says where they run. */
export function freshMark(): string {
  return `${(place ??= placeOfCommands())}.${crypto.randomUUID()}`;
}

/**
 * Ends what bears a mark and waits until it is gone: true when there was something. Undefined when it cannot be known: a mark of
 * another machine, boot or process namespace, or a process that does not end.
 */
export async function endSurvivors(mark: string): Promise<boolean | undefined> {
  // Only a whole mark of this place: a part of one would find processes of others.
  if (!MARK.test(mark) || !mark.startsWith(`${(place ??= placeOfCommands())}.`)) return undefined;
  const until = performance.now() + PATIENCE_MS;
  const found = new Map<number, string | undefined>();
  for (let quiet = 0; performance.now() < until; await sleep(10)) {
    const bearers = bearersOf(mark);
    for (const pid of bearers) {
      found.set(pid, startOf(pid));
      killGroup(pid); // of one that leads it: there are also those that have another environment
      kill(pid);
    }
    // One that is ending has no environment any more, one in the midst of an exec has none yet: hence two looks.
    const isQuiet = bearers.length === 0 && ![...found].some(([pid, startedAt]) => isLiving(pid, startedAt));
    quiet = isQuiet ? quiet + 1 : 0;
    if (quiet === 2) return found.size > 0;
  }
  return undefined;
}

// The same as long as this process lives.
let place: string | undefined;

/** This boot of this machine and the namespace in which process numbers count; `unknown` where nobody could find a mark. */
function placeOfCommands(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    return `${boot}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    return 'unknown'; // no /proc
  }
}
