// Several processes and one session. 1: the owner is stopped (SIGSTOP) past its lease, another process finishes the work, the first
// one goes on: it must be told SESSION_FENCED, write nothing, and no effect may be doubled. Leases are shortened by a store wrapper.
// 2: an owner loses its session in the middle of a tool or a model call, to another process or because its renewals fail until its lease
// has run out: both must be aborted by their signals, at the renewal or at the next append. 3: eight processes append with compare-and-swap, in one epoch and
// taking the lease from each other while being paused: no gap, every stale append refused, nothing acknowledged lost. 4: after SIGKILL
// the session is free at once, whatever is left of its lease. Controls, an owner that never renews and a store that does not compare,
// must fail.
// PAUSES=25, ATTEMPTS=1250 (of each of 8 processes, in both modes)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../src/index.ts';
import { appendRace, type RaceOptions } from './support/append-race.ts';
import { demoPlan } from './support/demo-plan.ts';
import { outputsIn } from './support/judge.ts';
import { until } from './support/kill-trial.ts';
import { type LostOwnerOptions, lostOwner } from './support/lost-owner.ts';
import { pausedOwner } from './support/paused-owner.ts';
import { amountFrom, Tally } from './support/tally.ts';
import { clear, layTrial, remainsOf, startChild } from './support/trial-folder.ts';

const PAUSES = amountFrom('PAUSES', 25);
const ATTEMPTS = amountFrom('ATTEMPTS', 1250);
const LEASE_MS = 30_000;

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
const { told, reference } = await undisturbed();
await pauses();
await losses();
await race('8 processes, one epoch', { mode: 'one-epoch', comparing: true });
await race('8 processes, taking over', { mode: 'take-over', comparing: true });
const control = await appendRace({
  place: join(folder, 'control.db'),
  workers: 8,
  attempts: 100,
  mode: 'one-epoch',
  comparing: false,
});
console.log(`control, a store that does not compare: ${control.faults[0] ?? 'nothing noticed'}`);
tally.check(
  'control, a store that does not compare',
  control.faults.length > 0 ? [] : ['the harness saw nothing wrong'],
);
await afterKill();
await rm(folder, { recursive: true });
tally.end();

/** How many things a session tells, and what its calls answer. */
async function undisturbed(): Promise<{ told: number; reference: ReadonlyMap<string, string> }> {
  const trial = await layTrial(demoPlan, { planName: 'demo', guard: 'none' });
  const { code, errors } = await startChild(trial).ended;
  if (code !== 0) throw new Error(`An undisturbed session ended with ${code}: ${errors}`);
  const { acknowledged, contents } = await remainsOf(trial);
  await clear(trial);
  return { told: acknowledged.length, reference: outputsIn(contents.entries) };
}

async function pauses(): Promise<void> {
  let fenced = 0;
  for (let pause = 0; pause < PAUSES; pause++) {
    // Spread over the session; the end is left out, because a process that has ended cannot be stopped.
    const at = 1 + Math.floor((pause / PAUSES) * (told - 3));
    const report = await pausedOwner({ told: at, leaseMs: 100, reference });
    tally.check(`owner paused after ${at} tellings`, report.faults);
    if (report.fenced) fenced += 1;
  }
  console.log(`${PAUSES} owners paused past their lease, ${fenced} of them in a run and told SESSION_FENCED`);
  tally.check('paused owners were fenced', fenced > 0 ? [] : ['not one was stopped in a run']);
}

async function losses(): Promise<void> {
  const all: readonly Omit<LostOwnerOptions, 'path'>[] = [
    { what: 'tool', by: 'take-over', renewMs: 50 },
    { what: 'model', by: 'take-over', renewMs: 50 },
    { what: 'tool-beside', by: 'take-over', renewMs: 0 },
    { what: 'tool', by: 'locked file', renewMs: 50 },
    { what: 'model', by: 'locked file', renewMs: 50 },
    { what: 'tool', by: 'take-over', renewMs: 0 },
  ];
  const reports = await Promise.all(
    all.map(async (one, index) => await lostOwner({ ...one, path: join(folder, `lost-${index}.db`) })),
  );
  const control = reports.pop() ?? [];
  reports.forEach((faults, index) => {
    tally.check(`lost by ${all[index]!.by}, ${all[index]!.what}, renewing every ${all[index]!.renewMs} ms`, faults);
  });
  console.log(`${reports.length} owners lost their session in a tool or a model call, which was aborted`);
  console.log(`control, an owner that never renews: ${control[0] ?? 'nothing noticed'}`);
  tally.check('control, an owner that never renews', control.length > 0 ? [] : ['the harness saw nothing wrong']);
}

async function race(name: string, options: Pick<RaceOptions, 'mode' | 'comparing'>): Promise<void> {
  const startedAt = performance.now();
  const report = await appendRace({
    place: join(folder, `${options.mode}.db`),
    workers: 8,
    attempts: ATTEMPTS,
    ...options,
  });
  const codes = [...report.codes].map(([code, times]) => `${times} ${code}`).join(', ');
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${name}: ${report.accepted} acknowledged, ${report.refused} refused (${codes}), ` +
      `${report.staleTried} stale on purpose, ${report.epochs} epochs in the log (${seconds} s)`,
  );
  tally.check(name, report.faults);
}

/** The owner is killed in a run. While it lives its lease of 30 s holds; afterwards Linux tells that it has ended (decision 0010). */
async function afterKill(): Promise<void> {
  const trial = await layTrial(demoPlan, { planName: 'demo', guard: 'none' });
  const owner = startChild(trial, { leaseMs: LEASE_MS });
  await owner.begun;
  await until(owner, async () => (await remainsOf(trial)).acknowledged.some(({ kind }) => kind === 'tool_result'));
  owner.process.kill('SIGSTOP');
  const store = sqliteStore({ path: join(trial.folder, 'sessions.db') });
  const sessionId = (await store.list()).sessions[0]!.sessionId;
  const whileItLives = await store.acquire(sessionId, 'the next', LEASE_MS).catch(() => undefined);
  owner.process.kill('SIGKILL');
  await owner.ended;
  const lease = await store.acquire(sessionId, 'the next', LEASE_MS);
  if (lease) await store.release(lease);
  await store[Symbol.asyncDispose]();
  const { code, errors } = await startChild(trial).ended;
  console.log(`killed with the real lease: ${lease ? 'free at once' : 'still busy'}`);
  tally.check('take-over from a killed owner', [
    ...(whileItLives ? ['the lease of the living owner did not hold'] : []),
    ...(lease || process.platform !== 'linux' ? [] : ['the lease of the killed owner held']),
    ...(code === 0 ? [] : [`resumed, it ended with ${code}: ${errors}`]),
  ]);
  await clear(trial);
}
