// needs: strace
// What a disk may hold after a power cut, simulated: the writes and fsyncs of one session (five runs, real tools, SQLite file, WAL and
// journal) are recorded once, with what somebody outside was told in between. Then at every step a disk is made that has kept what was
// synced, and of the other writes none, all, the first ones with the last one torn, any of them, or any sectors of them. Each is opened:
// the file must be whole, everything told before must be in it, its log in order, and a further append must be taken.
// A control, the same recorded without fsync, must lose.
// STATES=2200, CONTROL_STATES=100, SEED=1
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../src/index.ts';
import type { Acknowledgement } from './support/acknowledgements.ts';
import { CrashDisk, type Fate } from './support/crash-disk.ts';
import { type DiskStep, recordDisk } from './support/disk-recording.ts';
import { contentsOf } from './support/do-work.ts';
import { logFaults, lostOf } from './support/judge.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';
import { integrityFaults } from './support/trial-folder.ts';

/** Those that leave something to chance come twice. */
const FATES: readonly Fate[] = ['none', 'all', 'the first', 'any', 'any sectors', 'the first', 'any', 'any sectors'];

const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
const steps = await recordDisk('none');
const counts = new Map<string, number>();
for (const { kind } of steps) counts.set(kind, (counts.get(kind) ?? 0) + 1);
console.log(`recorded: ${[...counts].map(([kind, times]) => `${times} ${kind}`).join(', ')}`);
const wanted = amountFrom('STATES', 2200);
const { states, lost } = await tryStates(steps, wanted, (name, faults) => tally.check(name, faults));
console.log(`${states} crash states opened, ${lost} with something lost`);
tally.check('enough states', states >= 0.9 * wanted ? [] : [`only ${states}`]);
const control = await tryStates(await recordDisk('flush'), numberFrom('CONTROL_STATES', 100), () => undefined);
console.log(`control, without fsync: ${control.lost} of ${control.states} crash states have lost something`);
tally.check('control, without fsync', control.lost > 0 ? [] : ['nothing was lost']);
await rm(folder, { recursive: true });
tally.end();

/** At every step as many states as make the wanted number in all, spread over the fates. */
async function tryStates(
  all: readonly DiskStep[],
  wanted: number,
  check: (name: string, faults: readonly string[]) => void,
): Promise<{ states: number; lost: number }> {
  const disk = new CrashDisk();
  const told: Acknowledgement[] = [];
  let [states, losing] = [0, 0];
  for (const [index, step] of all.entries()) {
    disk.step(step);
    if (step.kind === 'told') told.push(step.told);
    // With nothing on its way there is one state only.
    const fates = disk.pending === 0 ? FATES.slice(0, 1) : FATES.toSorted(() => random() - 0.5);
    const due = Math.ceil((wanted * (index + 1)) / all.length) - states;
    for (const fate of fates.slice(0, Math.max(0, due))) {
      const own = join(folder, `${states}`);
      await mkdir(own);
      await disk.cut(own, fate, random);
      const faults = await faultsIn(own, told);
      check(`step ${index + 1}, ${step.kind}, ${disk.pending} writes on their way, kept: ${fate}`, faults);
      if (faults.some((fault) => fault.startsWith('lost'))) losing += 1;
      states += 1;
      await rm(own, { recursive: true });
    }
  }
  return { states, lost: losing };
}

async function faultsIn(own: string, told: readonly Acknowledgement[]): Promise<string[]> {
  const path = join(own, 'sessions.db');
  const store = sqliteStore({ path });
  try {
    const contents = await contentsOf(store);
    return [
      ...lostOf(told, contents).map((one) => `lost ${one}`),
      ...logFaults(contents.entries),
      ...integrityFaults(path),
      ...(await appendFaults(store)),
    ];
  } catch (error) {
    return [`lost: it cannot be read: ${String(error)}`];
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function appendFaults(store: ReturnType<typeof sqliteStore>): Promise<string[]> {
  const [session] = (await store.list()).sessions;
  if (!session) return [];
  const lease = await store.acquire(session.sessionId, 'the next', 1000);
  if (!lease) return ['it is held by somebody'];
  const head = await store.append(session.sessionId, lease, [{ type: 'title', title: 'It goes on.' }]);
  return head === lease.head + 1 ? [] : [`after entry ${lease.head} came ${head}`];
}
