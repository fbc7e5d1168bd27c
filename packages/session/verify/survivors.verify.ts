// Ends the process of a session at random moments with commands under way, which start children that ignore signals, have sessions and
// environments of their own, or whose parents have ended: by SIGKILL, SIGKILL of its group, SIGTERM, a Ctrl-C and out of memory. Each
// time it goes on in a fresh process, and 2 s later nothing may run that was started before; nothing acknowledged may be lost and no
// effect doubled. Controls must leave survivors: without the watcher until the session goes on, without the search for marks after an
// owner was stopped and taken over, and without both.
// KILLS=60, SEED=1, JOBS=2 (sessions at a time)
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { outputsIn } from './support/judge.ts';
import { type KillReport, killTrial, until } from './support/kill-trial.ts';
import { endSurvivorsIn, survivorFaults, survivorsIn } from './support/survivors.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';
import { HOLD, tickingPlan } from './support/ticking-plan.ts';
import { clear, layTrial, type RunningChild, remainsOf, startChild, type Trial } from './support/trial-folder.ts';

const KILLS = amountFrom('KILLS', 60);
const JOBS = numberFrom('JOBS', 2);
/** After these many kills a session is left to end. */
const KILLS_A_SESSION = 8;
/** Small enough to be used up at once, and enough for a session. */
const START = { flags: ['--max-old-space-size=96'], detached: true };
const ENDS: Readonly<Record<string, (child: RunningChild) => void>> = {
  SIGKILL: ({ process: host }) => void host.kill('SIGKILL'),
  'SIGKILL of its group': ({ process: host }) => signalGroup(host.pid!, 'SIGKILL'),
  SIGTERM: ({ process: host }) => void host.kill('SIGTERM'),
  'Ctrl-C': ({ process: host }) => signalGroup(host.pid!, 'SIGINT'),
  'out of memory': ({ process: host }) => void host.kill('SIGUSR2'),
};

const tally = new Tally();
const seed = numberFrom('SEED', 1);
const random = randomFrom(seed);
const { durationMs, reference } = await calibrate();
console.log(`An undisturbed session takes ${Math.round(durationMs)} ms; seed ${seed}`);

const ended = new Map<string, number>();
const reports: KillReport[] = [];
const killsSoFar = () => reports.reduce((sum, { stands }) => sum + stands.length, 0);
await Promise.all(Array.from({ length: JOBS }, killUntilEnough));
console.log(`${killsSoFar()} kills in ${reports.filter(({ early }) => !early).length} sessions:`);
for (const [way, times] of ended) console.log(`  ${times} by ${way}`);
const sum = (count: (report: KillReport) => number) => reports.reduce((total, report) => total + count(report), 0);
console.log(`interrupted calls, reported as unknown: ${sum(({ unknown }) => unknown.length)}`);
console.log(`survivors: ${sum(({ faults }) => faults.filter((one) => one.startsWith('survivor')).length)}`);
console.log(`doubled effects: ${sum(({ doubled }) => doubled.length)}`);
console.log(`lost acknowledgements: ${sum(({ lost }) => lost.length)}`);

await judge('killed', { guard: 'none', before: false, after: false });
await judge('killed, without the watcher', { guard: 'watcher', before: true, after: false });
await judge('killed, without watcher and search', { guard: 'both', before: true, after: true });
await judge('stopped', { guard: 'none', stops: true, before: true, after: false });
await judge('stopped, without the search', { guard: 'resume', stops: true, before: true, after: true });
tally.end();

/** How long the work takes after the process has begun, and what its calls answer; the first time fills a cache. */
async function calibrate(): Promise<{ durationMs: number; reference: ReadonlyMap<string, string> }> {
  let [took, outputs]: [number, ReadonlyMap<string, string>] = [0, new Map()];
  for (let round = 0; round < 2; round++) {
    const trial = await layTrial(tickingPlan, { planName: 'ticking', guard: 'none' });
    const child = startChild(trial, START);
    await child.begun;
    const startedAt = performance.now();
    const { code, errors } = await child.ended;
    took = performance.now() - startedAt;
    if (code !== 0) throw new Error(`An undisturbed session ended with ${code}: ${errors}`);
    outputs = outputsIn((await remainsOf(trial)).contents.entries);
    await clear(trial);
  }
  return { durationMs: took, reference: outputs };
}

async function killUntilEnough(): Promise<void> {
  const ways = Object.keys(ENDS);
  while (killsSoFar() < KILLS) {
    const report = await killTrial({
      guard: 'none',
      reference,
      plan: { name: 'ticking', plan: tickingPlan },
      start: START,
      maxKills: KILLS_A_SESSION,
      moment: async (child) => void (await Promise.race([sleep(random() * durationMs), child.ended])),
      end: (child, { workspace }) => {
        writeFileSync(join(workspace, HOLD), ''); // a survivor must not come to its end before anybody looks
        const way = ways[Math.floor(random() * ways.length)]!;
        ended.set(way, (ended.get(way) ?? 0) + 1);
        ENDS[way]!(child);
      },
      goesOn: async (child, trial) => {
        const faults = await survivorFaults(child, trial);
        if (child.process.exitCode === null && child.process.signalCode === null)
          rmSync(join(trial.workspace, HOLD), { force: true });
        return faults;
      },
    });
    reports.push(report);
    const { early, lost, doubled, faults, stands } = report;
    if (early) continue;
    const all = [...lost.map((one) => `lost ${one}`), ...doubled.map((one) => `doubled ${one}`), ...faults];
    tally.check(`session ended ${stands.length} times: ${stands.join('; ')}`, all);
  }
}

interface Expected {
  readonly guard: Trial['guard'];
  /** The owner is stopped, not killed, and taken over. */
  readonly stops?: boolean;
  /** Whether commands run when the owner is gone, and when the session goes on. */
  readonly before: boolean;
  readonly after: boolean;
}

/** One owner that is gone in the middle of a command, and one that goes on. */
async function judge(name: string, { guard, stops = false, before, after }: Expected): Promise<void> {
  const trial = await layTrial(tickingPlan, { planName: 'ticking', guard });
  writeFileSync(join(trial.workspace, HOLD), '');
  const owner = startChild(trial, START);
  let next: RunningChild | undefined;
  try {
    await until(owner, async () => survivorsIn(trial).length > 1);
    await sleep(50);
    owner.process.kill(stops ? 'SIGSTOP' : 'SIGKILL');
    if (!stops) await owner.ended;
    await settled(() => survivorsIn(trial).length > 0 === before);
    const isAlive = survivorsIn(trial).length > 0;
    next = startChild(trial, START);
    const faults = await survivorFaults(next, trial);
    const told = [isAlive === before ? '' : `commands run before: ${isAlive}`, ...(after ? [] : faults)];
    if (after && faults.length === 0) told.push('the harness saw no survivor');
    tally.check(
      name,
      told.filter((one) => one !== ''),
    );
    console.log(`${name}: ${isAlive ? 'commands ran on' : 'no command ran'}; ${faults.length} survivors afterwards`);
  } finally {
    for (const child of [owner, next]) child?.process.kill('SIGKILL');
    await Promise.all([owner.ended, next?.ended]);
    endSurvivorsIn(trial);
    await clear(trial);
  }
}

async function settled(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 2_000; !holds() && Date.now() < end; ) await sleep(10);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended
  }
}
