// needs: strace
// A call with its checkpoints, and a rewind of files, links and directories that have become one another: EIO and ENOSPC from every
// fsync, write, rename, removal and change of a mode, once or from then on. The call's result arrives, and later ones work; whatever a
// rewind has not restored it tells, and nothing that it does not tell is changed; no file is mixed. A fresh process then opens the
// checkpoints, and every message is as it was. Control: a rewinder that keeps its errors to itself must be caught.
// POINTS=30 (of each task, spread evenly; 1000 is all), SHIFT=0 (which error comes first), JOBS=2
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amountFrom, numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { judgeFailingCall, judgeFailingRewind } from './support/error-judge.ts';
import { atEach, spread } from './support/points.ts';
import { type Laid, layStates } from './support/three-states.ts';
import { disturbed, type Guard, type Injection, type Point, pointsOf, type Task } from './support/traced-worker.ts';

const [POINTS, SHIFT, JOBS] = [amountFrom('POINTS', 30), numberFrom('SHIFT', 0), numberFrom('JOBS', 2)];
const ERRORS = [
  { what: 'error=EIO', lasts: 'once' },
  { what: 'error=ENOSPC', lasts: 'for good' },
  { what: 'error=ENOSPC', lasts: 'once' },
  { what: 'error=EIO', lasts: 'for good' },
] as const;

const tally = new Tally();
const home = realpathSync(mkdtempSync(join(tmpdir(), 'checkpoint-errors-')));
try {
  for (const task of ['call', 'rewind'] as const) await failing(task);
} finally {
  rmSync(home, { recursive: true });
}
tally.end();

async function failing(task: Task): Promise<void> {
  const places = await Promise.all(
    Array.from({ length: JOBS }, (_, job) => layStates(join(home, `${task}-${job}`), { isChanged: task === 'rewind' })),
  );
  const all = await pointsOf(task, places[0]!);
  const points = spread(all, POINTS).map((point, index): Injection => ({ ...point, ...errorFor(point, index) }));
  const sums = { reached: 0, told: 0 };
  await atEach(points, places, async (injection, laid) => {
    const { isReached, isTold, faults } = await trial(laid, { task, injection, guard: 'none' });
    if (isReached) sums.reached += 1;
    if (isTold) sums.told += 1;
    const { thread, call, at, what, lasts } = injection;
    if (isReached) tally.check(`${task}, ${thread} ${call} number ${at}, ${what} ${lasts}`, faults);
  });
  console.log(
    `${task}: ${sums.reached} errors reached of ${points.length} at ${all.length} system calls, ${sums.told} of them told`,
  );
  tally.check(`${task} is disturbed`, sums.reached >= 0.8 * points.length ? [] : [`only ${sums.reached} times`]);
  if (task === 'rewind') await control(points, places);
}

/** Node ends when it can wake its own threads no more, which is a write as well. */
function errorFor({ call }: Point, index: number): Pick<Injection, 'what' | 'lasts'> {
  const error = ERRORS[(index + SHIFT) % ERRORS.length]!;
  return call === 'write' ? { ...error, lasts: 'once' } : error;
}

async function control(points: readonly Injection[], places: readonly Laid[]): Promise<void> {
  const noticed: string[] = [];
  await atEach(points, places, async (injection, laid) => {
    if (noticed.length > 0) return;
    const { isReached, faults } = await trial(laid, { task: 'rewind', injection, guard: 'errors' });
    if (isReached && faults.length > 0) noticed.push(`at ${injection.call} of ${injection.thread}: ${faults[0]}`);
  });
  console.log(`control, which tells no errors: ${noticed[0]?.slice(0, 140) ?? 'nothing noticed'}`);
  tally.check('control', noticed.length > 0 ? [] : ['the harness saw nothing wrong']);
}

interface Trial {
  readonly task: Task;
  readonly injection: Injection;
  readonly guard: Guard;
}

async function trial(laid: Laid, { task, injection, guard }: Trial) {
  const end = await disturbed(laid, { task, guard }, injection);
  const isReached = end.injected.length > 0;
  const faults = task === 'call' ? await judgeFailingCall(laid, end, injection) : await judgeFailingRewind(laid, end);
  const isTold = end.said.some(({ error, result }) => error !== undefined || result?.success === false);
  return { isReached, isTold, faults };
}
