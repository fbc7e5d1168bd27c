// needs: mkfs.xfs mkfs.ext4 mount unshare cp
// Simulated power cuts. Two processes with three sessions each, real runs with tools, write to a SQLite file on an ext4 file system on a
// loop device, whose image lies on an XFS file system on another. At random moments the image is cloned in one step and the clone is
// mounted: everything that was told to somebody outside before that moment must be in it, every log whole, and a session able to go on.
// A control without fsync must lose. Needs root and loop devices: where there are none it says so, and fails under CI.
// CUTS=60, CONTROL_CUTS=5, SEED=1
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { acknowledgedIn } from './support/acknowledgements.ts';
import { type BusyReport, judgeBusy } from './support/busy-judge.ts';
import type { Told } from './support/busy-work.ts';
import { type LoopStack, loopStack } from './support/loop-stack.ts';
import { withOwnMounts } from './support/own-mounts.ts';
import { numberFrom, randomFrom, Tally } from './support/tally.ts';

const WRITERS = 2;
/** Longest time between two cuts, in milliseconds. */
const PAUSE_MS = 200;

const folder = await withOwnMounts(fileURLToPath(import.meta.url), 'power-cut');
if (folder !== undefined) await inside(folder);

async function inside(below: string): Promise<void> {
  const tally = new Tally();
  const stack = await loopStack(below);
  try {
    await cuts(stack, below, tally);
    await control(stack, below, tally);
  } finally {
    await stack.close();
  }
  tally.end();
  process.exit(); // the outer process still holds the input open
}

async function cuts(stack: LoopStack, below: string, tally: Tally): Promise<void> {
  const random = randomFrom(numberFrom('SEED', 1));
  const writing = await startWriters(stack, { below, name: 'kept', guard: 'none' });
  let [lost, told, sessions] = [0, 0, 0];
  const number = numberFrom('CUTS', 60);
  for (let cut = 1; cut <= number; cut++) {
    await sleep(random() * PAUSE_MS);
    const found = await writing.cut();
    tally.check(`cut ${cut}`, [...found.lost.map((one) => `lost ${one}`), ...found.faults]);
    lost += found.lost.length;
    told = Math.max(told, found.told);
    sessions = Math.max(sessions, found.sessions);
  }
  tally.check('the writers', await writing.stop());
  tally.check('something was told', told > number ? [] : [`only ${told} things`]);
  console.log(`${number} simulated power cuts while ${told} things were told by ${sessions} sessions: ${lost} lost`);
}

async function control(stack: LoopStack, below: string, tally: Tally): Promise<void> {
  const writing = await startWriters(stack, { below, name: 'control', guard: 'flush' });
  const number = numberFrom('CONTROL_CUTS', 5);
  let losing = 0;
  for (let cut = 1; cut <= number; cut++) {
    await sleep(PAUSE_MS);
    const { lost, faults } = await writing.cut();
    if (lost.length + faults.length > 0) losing += 1;
  }
  await writing.stop();
  console.log(`control, without fsync: ${losing} of ${number} cuts lost something`);
  tally.check('control, without fsync', losing > 0 ? [] : ['nothing was lost']);
}

interface Writing {
  cut(): Promise<BusyReport & { readonly told: number }>;
  /** Faults of the processes themselves. */
  stop(): Promise<string[]>;
}

async function startWriters(
  stack: LoopStack,
  { below, name, guard }: { below: string; name: string; guard: 'none' | 'flush' },
): Promise<Writing> {
  const cwd = join(stack.disk, name);
  await mkdir(cwd);
  const source = fileURLToPath(new URL('support/busy-writer.ts', import.meta.url));
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const lists = Array.from({ length: WRITERS }, (_, index) => join(below, `${name}-${index}.jsonl`));
  const writers = lists.map((list) => {
    const values = ['--conditions=@x/source', '--no-warnings', source, join(cwd, 'sessions.db'), cwd, list, guard];
    const writer = spawn(process.execPath, values, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    return { writer, ended: new Promise<number | null>((resolve) => writer.once('exit', resolve)) };
  });
  const toldSoFar = async () => (await Promise.all(lists.map(acknowledgedIn))).flat() as Told[]; // safe: written by these processes
  while ((await toldSoFar()).length < 20 && writers.every(({ writer }) => writer.exitCode === null)) await sleep(5);
  return {
    async cut() {
      const told = await toldSoFar();
      return await stack.cut(async (root) => {
        const report = await judgeBusy(join(root, name, 'sessions.db'), told, join(root, name));
        return { ...report, told: told.length };
      });
    },
    async stop() {
      const early = writers.filter(({ writer }) => writer.exitCode !== null);
      for (const { writer } of writers) writer.kill('SIGKILL');
      await Promise.all(writers.map(({ ended }) => ended));
      return early.map(({ writer }) => `a writer ended with ${writer.exitCode}`);
    },
  };
}
