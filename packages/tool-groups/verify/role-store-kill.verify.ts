// Kills processes that save and delete roles in one directory with SIGKILL at random moments, two at a time. After each kill every
// save that was acknowledged must be there whole, or a later one that was begun; no file may be half; unfinished files are never
// read and go away. Control: a store that writes in place must be caught.
// KILLS=220, SEED=1
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { amountFrom, numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { fileRoleStore } from '../src/file-role-store.ts';
import { type Acknowledged, startWriter, type WriterProcess, warmUp } from './support/role-writer-process.ts';

const KILLS = amountFrom('KILLS', 220);
const WRITERS = 2;
const CONTROL_KILLS = 60;
/** How many steps a process may do before it is killed, and how long after the last of them, in milliseconds. */
const [MOST_STEPS, LONGEST_WAIT_MS] = [8, 12];

const tally = new Tally();
const seed = numberFrom('SEED', 1);
const random = randomFrom(seed);
const home = mkdtempSync(join(tmpdir(), 'role-store-kill-'));
const cache = join(home, 'compiled');
try {
  await warmUp(cache);
  const whole = await killWriters({ kills: KILLS, how: 'store', directory: join(home, 'store') });
  console.log(`${whole.kills} kills, seed ${seed}: ${whole.acknowledged} saves and deletions acknowledged`);
  console.log(`unfinished files left by kills: ${whole.unfinished}, all of them cleaned away`);
  const inPlace = await killWriters({
    kills: CONTROL_KILLS,
    how: 'in place',
    directory: join(home, 'in-place'),
    untilFault: true,
  });
  console.log(`control, writing in place: ${inPlace.faults} faults after ${inPlace.kills} kills, as it must`);
  tally.check('control', inPlace.faults > 0 ? [] : [`nothing was wrong after ${inPlace.kills} kills`]);
} finally {
  rmSync(home, { recursive: true });
}
tally.end();

interface Plan {
  readonly kills: number;
  readonly how: 'store' | 'in place';
  readonly directory: string;
  /** A control: faults are counted, not failures, and one is enough. */
  readonly untilFault?: boolean;
}

async function killWriters({ kills, how, directory, untilFault = false }: Plan) {
  const sums = { kills: 0, acknowledged: 0, unfinished: 0, faults: 0 };
  /** By writer: what its roles have to be, across its processes. */
  const known = Array.from({ length: WRITERS }, () => new Map<string, Acknowledged>());
  const work = known.map(async (states, writer) => {
    while (sums.kills < kills && !(untilFault && sums.faults > 0)) {
      const process = startWriter({ directory, how, writer, states, cache });
      await process.begun;
      await moment(process);
      await process.kill();
      sums.kills += 1;
      sums.acknowledged += process.acknowledged();
      const faults = await faultsIn(directory, writer, states);
      sums.faults += faults.length;
      if (!untilFault) tally.check(`kill ${sums.kills}`, faults);
    }
  });
  await Promise.all(work);
  sums.unfinished = unfinishedIn(directory).length;
  if (!untilFault) tally.check('cleaning', await cleaned(directory));
  return sums;
}

/** A random moment: by steps, because a busy machine does few in a given time, and somewhere inside the next one. */
async function moment(process: WriterProcess): Promise<void> {
  const steps = Math.floor(random() * MOST_STEPS);
  while (process.acknowledged() < steps && process.isRunning()) await sleep(1);
  await sleep(random() * LONGEST_WAIT_MS);
}

/** What is damaged, and the roles of this writer that are not as its process said. */
async function faultsIn(directory: string, writer: number, states: Map<string, Acknowledged>): Promise<string[]> {
  const faults: string[] = [];
  const store = fileRoleStore({ directory, onDamaged: (error) => void faults.push(error.message) });
  const roles = new Map((await store.list()).map((role) => [role.id, role]));
  for (const [id, { done, begun }] of states) {
    const found = roles.get(id)?.name ?? 'deleted';
    if (found !== done && found !== begun)
      faults.push(`${id} of ${writer} is ${found}; acknowledged was ${done}, begun ${begun ?? 'nothing'}`);
    const prompt = roles.get(id)?.rolePrompt;
    if (prompt !== undefined && prompt !== found.repeat(prompt.length / found.length)) faults.push(`${id} is torn`);
    states.set(id, { done: found }); // what is there now is what the next process begins with
  }
  await store.close();
  return faults;
}

function unfinishedIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.startsWith('.role-tmp-'));
}

/** Ages what was left behind, lists once more, and tells what is still there. */
async function cleaned(directory: string): Promise<string[]> {
  for (const name of unfinishedIn(directory)) utimesSync(join(directory, name), new Date(0), new Date(0));
  await fileRoleStore({ directory }).list();
  return unfinishedIn(directory).map((name) => `${name} is still there`);
}
