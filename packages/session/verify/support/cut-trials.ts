import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CutKind, type CutNetwork, cutFor } from './cut-network.ts';
import type { CutWorker, CutWorld } from './cut-world.ts';

/** Milliseconds: of the SDK; the most after it; between two renewals, of which one may arrive in a cut that only answers do not pass. */
export const LEASE_MS = 30_000;
const MORE_MS = 2_000;
const BEAT_MS = 5_000;
export const LONG_MS: number = LEASE_MS + 6_000;

/** `act` returns what it has found wrong by itself, and a line about what has happened. */
export interface Outcome {
  readonly faults: readonly string[];
  readonly line?: string;
}

/** Sends work to each session; resolves when all of it has begun. */
export async function begin(world: CutWorld): Promise<void> {
  const before = world.calls('begun').length;
  await Promise.all(world.sessionIds.map((_, index) => world.send(index, true)));
  while (world.calls('begun').length < before + world.sessionIds.length) await sleep(10);
}

interface Alone {
  readonly kind: CutKind;
  readonly random: () => number;
  readonly isQueued?: boolean;
  /** Workers look for nothing by themselves. */
  readonly isBlind?: boolean;
  /** Default: to the database. */
  readonly where?: (worker: CutWorker) => readonly CutNetwork[];
  /** Milliseconds after the end of the lease that the next owner has; default 2000. */
  readonly moreMs?: number;
}

/**
 * A worker is cut off in the middle of its calls for longer than a lease: another must have its sessions no later than a lease and two seconds after
 * that, and its calls must be aborted by its own clock.
 */
export async function cutOffAlone(world: CutWorld, options: Alone): Promise<Outcome> {
  const { kind, random, isQueued = false, isBlind = false, where = databaseOf, moreMs = MORE_MS } = options;
  const first = await world.startWorker({ workMs: 3 * LONG_MS, isQueued, isBlind });
  await begin(world);
  const second = await world.startWorker({ workMs: 20, isQueued, isBlind });
  await sleep(random() * 5_000); // somewhere between two renewals
  const cutAt = await cutFor(where(first), kind, LONG_MS);
  const faults: string[] = [];
  let latest = 0;
  for (const sessionId of world.sessionIds) {
    const taken = (await world.entriesOf(sessionId)).find(({ epoch }) => epoch > 1);
    latest = Math.max(latest, taken ? Date.parse(taken.at) - cutAt : Number.POSITIVE_INFINITY);
  }
  const heardMs = kind === 'deaf' ? BEAT_MS : 0;
  if (latest > heardMs + LEASE_MS + moreMs) faults.push(`taken over after ${latest} ms`);
  const aborted = world.calls('aborted').map(({ at }) => at - cutAt);
  if (aborted.length !== 3 || Math.max(...aborted) > LEASE_MS + MORE_MS)
    faults.push(`aborted after ${aborted.join()} ms`);
  const unknown = await world.unknown();
  if (unknown !== 3) faults.push(`${unknown} calls are reported as unknown`);
  second.child.kill('SIGKILL');
  await once(second.child, 'close');
  for (const index of world.sessionIds.keys()) await world.send(index, false);
  return { faults, line: `taken over ${latest} ms after the cut, calls aborted after ${Math.max(...aborted)} ms` };
}

function databaseOf({ network }: CutWorker): readonly CutNetwork[] {
  return [network];
}
