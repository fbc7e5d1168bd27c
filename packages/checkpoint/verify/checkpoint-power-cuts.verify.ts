// needs: mkfs.xfs mkfs.ext4 mount unshare cp strace
// Simulated power cuts of calls and rewinds on an ext4 file system on a loop device, whose image is cloned in one step at random moments
// (see loop-stack). On the clone, mounted at the same place, every file is wholly of one round, the checkpoints open, and every call and
// rewind that was told is there: its message is as it was. Control: the same with every fsync answered without being done.
// Needs root and loop devices: where there are none it says so, and fails under CI. CUTS=12, CONTROL_CUTS=5, SEED=1
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type LoopStack, loopStack } from '../../session/verify/support/loop-stack.ts';
import { withOwnMounts } from '../../session/verify/support/own-mounts.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { afterRound, type RoundTold } from './support/rounds.ts';

/** Longest time between two cuts, in milliseconds. */
const PAUSE_MS = 150;
const NODE = [process.execPath, '--conditions=@x/source', '--no-warnings'];
const FLUSHES = 'fsync,fdatasync';
const WITHOUT_FLUSH = `strace -f --seccomp-bpf -o /dev/null -e trace=${FLUSHES} -e inject=${FLUSHES}:retval=0`.split(
  ' ',
);

const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
const below = await withOwnMounts(fileURLToPath(import.meta.url), 'checkpoint-power-cuts');
if (below !== undefined) {
  const tally = new Tally();
  const stack = await loopStack(below);
  try {
    const { cuts, told, losing } = await cutsOf(stack, {
      name: 'kept',
      below,
      cuts: amountFrom('CUTS', 12),
      under: [],
      tally,
    });
    console.log(`${cuts} simulated power cuts while ${told} calls and rewinds were told: ${losing} lost something`);
    tally.check('something was told', told > cuts ? [] : [`only ${told} things`]);
    const control = { name: 'control', below, cuts: numberFrom('CONTROL_CUTS', 5), under: WITHOUT_FLUSH };
    const lost = await cutsOf(stack, control);
    console.log(`control, without fsync: ${lost.losing} of ${lost.cuts} cuts lost something, as they must`);
    tally.check('control, without fsync', lost.losing > 0 ? [] : ['nothing was lost']);
  } finally {
    await stack.close();
  }
  tally.end();
  process.exit(); // the outer process still holds the input open
}

interface Cutting {
  readonly name: string;
  readonly below: string;
  readonly cuts: number;
  /** What the writer is run by. */
  readonly under: readonly string[];
  readonly tally?: Tally;
}

async function cutsOf(stack: LoopStack, { name, below, cuts, under, tally }: Cutting) {
  const random = randomFrom(numberFrom('SEED', 1));
  const [place, list] = [join(stack.disk, name), join(below, `${name}.jsonl`)];
  const [root, file] = [join(place, 'root'), join(place, 'kept')];
  mkdirSync(root, { recursive: true });
  writeFileSync(list, '');
  for (const [path, shown] of Object.entries(afterRound(0))) writeFileSync(join(root, path), shown.slice(4));
  const [command, ...values] = [
    ...under,
    ...NODE,
    join(import.meta.dirname, 'support/cut-writer.ts'),
    root,
    file,
    list,
  ];
  const writer = spawn(command, values, { env, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  const ended = new Promise((resolve) => writer.once('exit', resolve));
  const toldSoFar = () =>
    readFileSync(list, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as RoundTold); // safe: of the writer
  while (toldSoFar().length < 5 && writer.exitCode === null) await sleep(5);
  let losing = 0;
  for (let cut = 1; cut <= cuts; cut++) {
    await sleep(random() * PAUSE_MS);
    const { round } = toldSoFar().at(-1)!;
    const faults = await stack.cut((clone) => judged({ clone, disk: stack.disk, values: [root, file, `${round}`] }));
    if (faults.length > 0) losing += 1;
    tally?.check(`${name}, cut ${cut}`, faults);
  }
  const told = toldSoFar().length;
  tally?.check('the writer', writer.exitCode === null ? [] : [`it ended with ${writer.exitCode}`]);
  process.kill(-writer.pid!, 'SIGKILL'); // what strace watches would live on without it
  await ended;
  return { cuts, told, losing };
}

/** Checkpoints know their place: the clone is mounted there, for the judge alone. */
async function judged({
  clone,
  disk,
  values,
}: {
  clone: string;
  disk: string;
  values: readonly string[];
}): Promise<string[]> {
  const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  const judge = [...NODE, join(import.meta.dirname, 'support/cut-judge.ts'), ...values];
  const { stdout } = await promisify(execFile)(
    'unshare',
    ['--mount', 'sh', '-c', script, 'sh', clone, disk, ...judge],
    { env },
  );
  return JSON.parse(stdout) as string[]; // safe: of the judge
}
