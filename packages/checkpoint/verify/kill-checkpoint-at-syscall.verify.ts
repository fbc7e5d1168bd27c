// needs: strace
// A call with its checkpoints, and a rewind of files, links and directories that have become one another: SIGKILL at every fsync, write,
// rename, removal and change of a mode, one after the other. Then another process opens the checkpoints. Each file is wholly old or new, a
// rewind is completed or has not begun, and can be taken back; a call that has returned is taken back without a question, any other with
// `force`; no unfinished file is left, and SQLite finds its file whole. Controls: a rewind without a record is left mixed, and a call that
// does not wait for the look after it is lost.
// POINTS=30 (of each task, spread evenly; 1000 is all), JOBS=2
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amountFrom, numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { judgeCall, judgeRewind } from './support/checkpoint-judge.ts';
import { atEach, spread } from './support/points.ts';
import { type Laid, layStates } from './support/three-states.ts';
import { disturbed, type Guard, type Point, pointsOf, type Task } from './support/traced-worker.ts';

const [POINTS, JOBS] = [amountFrom('POINTS', 30), numberFrom('JOBS', 2)];
const KILL = { what: 'signal=KILL', lasts: 'once' } as const;

const tally = new Tally();
const home = realpathSync(mkdtempSync(join(tmpdir(), 'kill-checkpoint-')));
try {
  await killed('call', { guard: 'look', fault: 'acknowledged, and not taken back' });
  await killed('rewind', { guard: 'record', fault: 'neither completed nor not begun' });
} finally {
  rmSync(home, { recursive: true });
}
tally.end();

async function killed(task: Task, control: { readonly guard: Guard; readonly fault: string }): Promise<void> {
  const places = await Promise.all(
    Array.from({ length: JOBS }, (_, job) => layStates(join(home, `${task}-${job}`), { isChanged: task === 'rewind' })),
  );
  const all = await pointsOf(task, places[0]!);
  const points = spread(all, POINTS);
  const sums = { reached: 0, completed: 0, 'not begun': 0 };
  await atEach(points, places, async (point, laid) => {
    const { isKilled, judged } = await trial(laid, { task, point, guard: 'none' });
    if (isKilled) sums.reached += 1;
    if (isKilled && judged.rewind) sums[judged.rewind] += 1;
    tally.check(`${task}, ${point.thread} ${point.call} number ${point.at}`, judged.faults);
  });
  const how =
    task === 'rewind' ? `: ${sums.completed} completed by the next opening, ${sums['not begun']} not begun` : '';
  console.log(`${task}: ${sums.reached} kills at ${points.length} of ${all.length} system calls${how}`);
  tally.check(`${task} is killed`, sums.reached >= 0.9 * points.length ? [] : [`only ${sums.reached} times`]);

  const noticed: string[] = [];
  await atEach(points.toReversed(), places, async (point, laid) => {
    if (noticed.length > 0) return;
    const { judged } = await trial(laid, { task, point, guard: control.guard });
    const fault = judged.faults.find((one) => one.startsWith(control.fault));
    if (fault !== undefined) noticed.push(`at ${point.call} of ${point.thread}: ${fault}`);
  });
  console.log(`control, ${task} without ${control.guard}: ${noticed[0]?.slice(0, 140) ?? 'nothing noticed'}`);
  tally.check(`control, without ${control.guard}`, noticed.length > 0 ? [] : ['the harness saw nothing wrong']);
}

interface Trial {
  readonly task: Task;
  readonly point: Point;
  readonly guard: Guard;
}

async function trial(laid: Laid, { task, point, guard }: Trial) {
  const end = await disturbed(laid, { task, guard }, { ...point, ...KILL });
  const judged = task === 'call' ? await judgeCall(laid, end) : await judgeRewind(laid);
  const isKilled = end.signal === 'SIGKILL';
  const faults =
    isKilled || end.code === 0 ? judged.faults : [...judged.faults, `it ended with ${end.code}: ${end.errors}`];
  return { isKilled, judged: { ...judged, faults } };
}
