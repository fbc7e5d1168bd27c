import { readFileSync, readlinkSync } from 'node:fs';
import { sleep } from '@x/core';
import { kill, killGroup } from './kill-tree.ts';
import { bearersOf, isLiving, startOf } from './process-table.ts';

const MARK = /^[0-9a-f]{8}\.\d+\.[0-9a-f-]{36}$/;
/** Milliseconds that the system has to end killed processes. */
const PATIENCE_MS = 5_000;

/** A fresh mark for the commands of one call; it contains the place where they run. */
export function freshMark(): string {
  const number = (made += 1).toString(16).padStart(12, '0'); // each tool call takes one: counting is cheaper than chance
  return `${(prefix ??= `${here()}.${crypto.randomUUID().slice(0, -12)}`)}${number}`;
}

/**
 * Ends the processes with a mark and waits until they are gone: true when there were any. Undefined when unknown: a mark of another
 * machine, boot or process namespace, or a process that does not end.
 */
export async function endSurvivors(mark: string): Promise<boolean | undefined> {
  // Only a complete mark of this place: a part of one would find other processes.
  if (!MARK.test(mark) || !mark.startsWith(`${here()}.`)) return undefined;
  const until = performance.now() + PATIENCE_MS;
  const found = new Map<number, string | undefined>();
  for (let quiet = 0; performance.now() < until; await sleep(10)) {
    const bearers = bearersOf(mark);
    for (const pid of bearers) {
      found.set(pid, startOf(pid));
      killGroup(pid); // of one that leads it: there are also those that have another environment
      kill(pid);
    }
    // An ending process has no environment any more, one during an exec has none yet: hence two checks.
    const isQuiet = bearers.length === 0 && ![...found].some(([pid, startedAt]) => isLiving(pid, startedAt));
    quiet = isQuiet ? quiet + 1 : 0;
    if (quiet === 2) return found.size > 0;
  }
  return undefined;
}

// The same as long as this process lives.
let place: string | undefined;
let prefix: string | undefined;
/** Marks made by this process. */
let made = 0;

function here(): string {
  return (place ??= placeOfCommands());
}

/** Identifies this boot of this machine and the namespace in which process numbers count; `unknown` when marks cannot be found. */
function placeOfCommands(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
    return `${boot}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    return 'unknown'; // no /proc
  }
}
