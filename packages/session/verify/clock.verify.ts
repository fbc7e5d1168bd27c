// needs: faketime
// The time of day jumps, 400 days back or to 2038, for all processes of a session (libfaketime). 1: while its owner is stopped in the
// middle of a run: nobody else gets the session, and the run ends as if nothing had been. 2: when its owner was killed: it is free at
// once, and the next process does the rest. 3: while its owner is stopped past its lease: another process takes over, the first one is
// told. In every case order and contents must be those of an undisturbed session. Two controls, in which leases go by the time of day,
// must fail: one steals from a living owner, the other does not get what is free.
// MOMENTS=5 (of each case)
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demoEffects, demoPlan } from './support/demo-plan.ts';
import { FakeTime } from './support/fake-time.ts';
import { effectFaults, endingFaults, logFaults, lostOf, openEffectsOf, outputsIn } from './support/judge.ts';
import { until } from './support/kill-trial.ts';
import { pausedOwner, stopOutside, tellings } from './support/paused-owner.ts';
import { numberFrom, Tally } from './support/tally.ts';
import { clear, layTrial, type RunningChild, remainsOf, startChild, type Trial } from './support/trial-folder.ts';

const run = promisify(execFile);
const MOMENTS = numberFrom('MOMENTS', 5);
const LEASE_MS = 30_000;
const BACK = '-400d';
const FORWARD = '@2038-01-19 03:14:00';
type By = 'clock' | 'time-of-day';

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
const { told, reference } = await undisturbed();
const moments = Array.from({ length: MOMENTS }, (_, index) => 2 + Math.floor((index / MOMENTS) * (told - 6)));

for (const at of moments) tally.check(`living owner, after ${at} tellings`, await livingOwner(at, 'clock'));
for (const at of moments) {
  for (const jump of [BACK, FORWARD]) tally.check(`killed owner, after ${at}, ${jump}`, await killedOwner(at, jump));
}
const fenced = (await Promise.all(moments.map(pausedPast))).filter(Boolean).length;
tally.check('paused owners were fenced', fenced > 0 ? [] : ['not one was stopped in a run']);
console.log(
  `${MOMENTS} living, ${2 * MOMENTS} killed, ${MOMENTS} paused owners (${fenced} told SESSION_FENCED) while the clock jumped`,
);
await control(
  'a living owner',
  (await livingOwner(moments.at(-1)!, 'time-of-day')).filter((one) => one.includes('taken')),
);
await control('a paused owner', await notFreed());
await rm(folder, { recursive: true });
tally.end();

async function undisturbed(): Promise<{ told: number; reference: ReadonlyMap<string, string> }> {
  const trial = await layTrial(demoPlan, { planName: 'demo', guard: 'none' });
  const { code, errors } = await startChild(trial).ended;
  if (code !== 0) throw new Error(`An undisturbed session ended with ${code}: ${errors}`);
  const { acknowledged, contents } = await remainsOf(trial);
  await clear(trial);
  return { told: acknowledged.length, reference: outputsIn(contents.entries) };
}

/** The clock jumps both ways while a living owner is stopped in a run; then it goes on. */
async function livingOwner(at: number, by: By): Promise<string[]> {
  return await withOwner(at, LEASE_MS, async ({ trial, owner, time }) => {
    const faults: string[] = [];
    for (const jump of [BACK, FORWARD, '+0']) {
      time.jump(jump);
      if ((await ask(trial, { time, by })) === 'taken') faults.push(`taken from a living owner after ${jump}`);
    }
    if (faults.length > 0) return faults;
    time.jump(BACK);
    owner.process.kill('SIGCONT');
    const { code, errors } = await owner.ended;
    if (code !== 0) faults.push(`the owner ended with ${code}: ${errors}`);
    return [...faults, ...(await finalFaults(trial))];
  });
}

async function killedOwner(at: number, jump: string): Promise<string[]> {
  return await withOwner(at, LEASE_MS, async ({ trial, owner, time }) => {
    owner.process.kill('SIGKILL');
    await owner.ended;
    const interrupted = new Set(openEffectsOf((await remainsOf(trial)).contents.entries));
    time.jump(jump);
    const faults = (await ask(trial, { time, by: 'clock' })) === 'taken' ? [] : ['not free after the kill'];
    const { code, errors } = await startChild(trial, { leaseMs: LEASE_MS, env: time.env }).ended;
    if (code !== 0) faults.push(`the next ended with ${code}: ${errors}`);
    return [...faults, ...(await finalFaults(trial, interrupted))];
  });
}

/** True when the owner was told that it had lost the session. */
async function pausedPast(at: number, index: number): Promise<boolean> {
  const own = await mkdtemp(join(folder, 'paused-'));
  const time = new FakeTime(own);
  const jump = index % 2 === 0 ? BACK : FORWARD;
  const meanwhile = () => time.jump(jump);
  const report = await pausedOwner({ told: at, leaseMs: 100, reference, env: time.env, meanwhile });
  tally.check(`paused owner, after ${at} tellings, ${jump}`, report.faults);
  return report.fenced;
}

/** By the time of day, the lease of an owner that was paused past it lasts for 400 days more. */
async function notFreed(): Promise<string[]> {
  return await withOwner(moments[1]!, 50, async ({ trial, time }) => {
    time.jump(BACK);
    const answer = await ask(trial, { time, by: 'time-of-day', leaseMs: 50 });
    return answer === 'refused' ? ['refused, although the lease is over'] : [];
  });
}

interface Stopped {
  readonly trial: Trial;
  readonly owner: RunningChild;
  readonly time: FakeTime;
}

/** An owner that is stopped while it holds its lease, in the middle of a run. */
async function withOwner(at: number, leaseMs: number, use: (stopped: Stopped) => Promise<string[]>): Promise<string[]> {
  const trial = await layTrial(demoPlan, { planName: 'demo', guard: 'none' });
  const time = new FakeTime(trial.folder);
  const owner = startChild(trial, { leaseMs, env: time.env });
  try {
    await owner.begun;
    await until(owner, async () => (await tellings(trial)) >= at);
    await stopOutside(owner, trial);
    while (!(await isHeld(trial))) {
      owner.process.kill('SIGCONT');
      await stopOutside(owner, trial);
    }
    return await use({ trial, owner, time });
  } finally {
    owner.process.kill('SIGKILL');
    await owner.ended;
    FakeTime.tidy(owner.process.pid);
    await clear(trial);
  }
}

async function isHeld({ folder: own }: Trial): Promise<boolean> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(join(own, 'sessions.db'));
  const row = database.prepare('select owner from sessions').get();
  database.close();
  return typeof row?.['owner'] === 'string';
}

async function ask(
  { folder: own }: Trial,
  { time, by, leaseMs = 1 }: { time: FakeTime; by: By; leaseMs?: number },
): Promise<string> {
  const source = fileURLToPath(new URL('support/lease-asker.ts', import.meta.url));
  const values = ['--conditions=@x/source', '--no-warnings', source, join(own, 'sessions.db'), String(leaseMs), by];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...time.env };
  return (await run(process.execPath, values, { env })).stdout.trim();
}

async function finalFaults(trial: Trial, interrupted: ReadonlySet<string> = new Set()): Promise<string[]> {
  const { contents, acknowledged, damage } = await remainsOf(trial);
  const { doubled, missing } = effectFaults(await demoEffects(trial.workspace, demoPlan), contents.entries);
  return [
    ...damage,
    ...logFaults(contents.entries),
    ...lostOf(acknowledged, contents).map((one) => `lost ${one}`),
    ...endingFaults({ plan: demoPlan, contents, reference, interrupted }),
    ...doubled.map((id) => `doubled ${id}`),
    ...missing.map((id) => `call ${id} is answered and had no effect`),
    ...acknowledged.flatMap((one) => (one.kind === 'failure' ? [`a failure: ${one.code}`] : [])),
  ];
}

async function control(name: string, noticed: readonly string[]): Promise<void> {
  console.log(`control, by the time of day, ${name}: ${noticed[0] ?? 'nothing noticed'}`);
  tally.check(`control, ${name}`, noticed.length > 0 ? [] : ['the harness saw nothing wrong']);
}
