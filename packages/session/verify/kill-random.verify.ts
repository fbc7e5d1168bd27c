// Kills the process of a session with SIGKILL at random moments and resumes it in a fresh process until its work is done: three
// runs over a SQLite file with real files and commands, parallel reads, tools of every effect class and a message in mid-run.
// After each kill everything acknowledged must be in the log; at the end the session must be what an undisturbed one is, apart
// from calls reported as unknown, and no effect that may not be repeated may have happened twice. Two controls must fail: without
// the write-ahead effects are doubled, with acknowledgements before the write some are lost.
// KILLS=240, SEED=1, JOBS=2 (sessions at a time)
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acknowledgedIn } from './support/acknowledgements.ts';
import { commandEffects, demoPlan } from './support/demo-plan.ts';
import { outputsIn } from './support/judge.ts';
import { type KillReport, killTrial, until } from './support/kill-trial.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';
import { clear, layTrial, type RunningChild, remainsOf, startChild, type Trial } from './support/trial-folder.ts';

const KILLS = amountFrom('KILLS', 240);
const JOBS = numberFrom('JOBS', 2);
/** After these many kills a session is left to end. */
const KILLS_A_SESSION = 8;
/** Sessions that a control may take to fail. */
const CONTROL_TRIALS = 40;

const tally = new Tally();
const seed = numberFrom('SEED', 1);
const random = randomFrom(seed);
const { durationMs, reference } = await calibrate();
console.log(`An undisturbed session takes ${Math.round(durationMs)} ms; seed ${seed}`);

const reports: KillReport[] = [];
const killsSoFar = () => reports.reduce((sum, { stands }) => sum + stands.length, 0);
await Promise.all(Array.from({ length: JOBS }, killUntilEnough));
summarise(reports);
await control('without write-ahead', 'write-ahead', { moment: afterEffect, broken: ({ doubled }) => doubled.length });
await control('acknowledged early', 'acknowledge', { moment: afterMessage, broken: ({ lost }) => lost.length });
tally.end();

/** How long the work takes after the process has begun, and what its calls answer. The first time is slower: it fills a cache. */
async function calibrate(): Promise<{ durationMs: number; reference: ReadonlyMap<string, string> }> {
  const durations: number[] = [];
  let outputs: ReadonlyMap<string, string> = new Map();
  for (let round = 0; round < 3; round++) {
    const trial = await layTrial(demoPlan, { planName: 'demo', guard: 'none' });
    const child = startChild(trial);
    await child.begun;
    const startedAt = performance.now();
    const { code, errors } = await child.ended;
    durations.push(performance.now() - startedAt);
    if (code !== 0) throw new Error(`An undisturbed session ended with ${code}: ${errors}`);
    outputs = outputsIn((await remainsOf(trial)).contents.entries);
    await clear(trial);
  }
  return { durationMs: durations.toSorted((one, other) => one - other)[1]!, reference: outputs }; // the middle one
}

async function atRandom({ ended }: RunningChild): Promise<void> {
  await Promise.race([sleep(random() * durationMs), ended]);
}

/** Just after a command has had its effect, and before it ends. */
async function afterEffect(child: RunningChild, { workspace }: Trial): Promise<void> {
  const effects = 1 + Math.floor(random() * 6);
  await until(child, async () => (await commandEffects(workspace)) >= effects);
}

/** Just after a user message was shown, and before the model has answered it. */
async function afterMessage(child: RunningChild, { folder }: Trial): Promise<void> {
  const shown = 1 + Math.floor(random() * 4);
  await until(child, async () => {
    const acknowledged = await acknowledgedIn(join(folder, 'acknowledged.jsonl'));
    return acknowledged.filter(({ kind }) => kind === 'user_message').length >= shown;
  });
}

async function killUntilEnough(): Promise<void> {
  while (killsSoFar() < KILLS) {
    const report = await killTrial({ guard: 'none', reference, moment: atRandom, maxKills: KILLS_A_SESSION });
    reports.push(report);
    const { early, lost, doubled, faults, stands } = report;
    if (early) continue;
    const all = [...lost.map((one) => `lost ${one}`), ...doubled.map((one) => `doubled ${one}`), ...faults];
    tally.check(`session killed ${stands.length} times: ${stands.join('; ')}`, all);
  }
}

function summarise(all: readonly KillReport[]): void {
  const sum = (count: (report: KillReport) => number) => all.reduce((total, report) => total + count(report), 0);
  const stands = new Map<string, number>();
  for (const stand of all.flatMap((report) => report.stands)) stands.set(stand, (stands.get(stand) ?? 0) + 1);
  console.log(
    `${killsSoFar()} kills in ${all.filter(({ early }) => !early).length} sessions, where they found the log:`,
  );
  for (const [stand, times] of [...stands].toSorted(([, one], [, other]) => other - one))
    console.log(`  ${times} ${stand}`);
  console.log(`  (${sum(({ early }) => Number(early))} more before the first message, drawn again)`);
  console.log(`interrupted calls, reported as unknown: ${sum(({ unknown }) => unknown.length)}`);
  console.log(`  of them had taken effect: ${sum(({ tookEffect }) => tookEffect)}`);
  console.log(`doubled effects: ${sum(({ doubled }) => doubled.length)}`);
  console.log(`lost acknowledgements: ${sum(({ lost }) => lost.length)}`);
}

interface Control {
  readonly moment: (child: RunningChild, trial: Trial) => Promise<void>;
  readonly broken: (report: KillReport) => number;
}

/** The same with a guard taken out. */
async function control(name: string, guard: Trial['guard'], { moment, broken }: Control): Promise<void> {
  for (let trials = 1; trials <= CONTROL_TRIALS; trials++) {
    if (broken(await killTrial({ guard, reference, moment, maxKills: 1 })) === 0) continue;
    console.log(`control, ${name}: failed as it must, after ${trials} kills`);
    tally.check(name, []);
    return;
  }
  tally.check(name, [`the harness saw nothing wrong in ${CONTROL_TRIALS} sessions`]);
}
