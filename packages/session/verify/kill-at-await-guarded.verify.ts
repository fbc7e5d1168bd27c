// As kill-at-await, for sessions with everything that stands around a call and a model: subagents on two levels and side by side,
// questions to the host with every answer, hooks that change inputs and outputs and force turns, a service that fails, fails for
// good and refuses long histories, compaction, a result that is the answer, messages in mid-run. After the end every agent has said
// and heard what it has in an undisturbed session, in the same order; no effect is doubled or had without leave, an approval that
// is in the log is not asked for again, and usage and messages are those of the log.
// Controls without permission notes, without subagents' records and without write-ahead must fail.
// PAIRS=200 (of each plan), SEED=1, PLANS=agents,models
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type SessionStore, sqliteStore } from '../src/index.ts';
import { agentsPlan, type GuardedPlan, modelsPlan } from './support/guarded-plan.ts';
import { type GuardedReport, guardedTrial } from './support/guarded-trial.ts';
import { withoutPermissionNotes, withoutSubagents, withoutWriteAhead } from './support/store-wrappers.ts';
import { amountFrom, numberFrom, pointsUpTo, randomFrom, Tally } from './support/tally.ts';

const PAIRS = amountFrom('PAIRS', 200);
const STORE_OPERATIONS: readonly string[] = ['create', 'acquire', 'renew', 'release', 'append', 'enqueue', 'inbox'];
const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
let files = 0;
const sqlite = () => sqliteStore({ path: join(folder, `${++files}.db`) });

for (const plan of [agentsPlan, modelsPlan]) {
  if (!(process.env['PLANS'] ?? 'agents,models').split(',').includes(plan.name)) continue;
  const reference = await guardedTrial({ plan, store: memoryStore(), stops: [] });
  judge(`${plan.name}, undisturbed`, reference);
  console.log(`${plan.name}: ${reference.points} points, ${reference.questions} questions in an undisturbed session`);
  await everyPoint('memory', { plan, reference, make: memoryStore });
  await everyPoint('SQLite', { plan, reference, make: sqlite });
  await randomPairs(plan, reference);
  const controlled = { plan, reference };
  await control('without permission notes', { ...controlled, unguarded: withoutPermissionNotes, broken: askedAgain });
  await control('without subagents', { ...controlled, unguarded: withoutSubagents, broken: doubled });
  await control('without write-ahead', { ...controlled, unguarded: withoutWriteAhead, broken: doubled });
}
await rm(folder, { recursive: true });
tally.end();
process.exit(); // hooks of ended processes hang until their time is up

interface Case {
  readonly plan: GuardedPlan;
  readonly reference: GuardedReport;
}

async function everyPoint(
  name: string,
  { plan, reference, make }: Case & { readonly make: () => SessionStore },
): Promise<void> {
  const kinds = new Map<string, number>();
  let [stops, unknown] = [0, 0];
  const stopAt = async (at: number, applied: boolean) => {
    const store = make();
    const report = await guardedTrial({ plan, store, stops: [{ at, applied }], reference });
    await store[Symbol.asyncDispose]();
    const kind = report.stoppedAt[0] ?? 'not reached';
    judge(`${plan.name}, ${name}, point ${at}${applied ? ', applied' : ''}`, report);
    stops += 1;
    unknown += report.unknown;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    return kind;
  };
  for (const at of pointsUpTo(reference.points)) {
    const kind = await stopAt(at, false);
    if (STORE_OPERATIONS.includes(kind)) await stopAt(at, true);
  }
  const all = [...kinds].map(([kind, times]) => `${times} ${kind}`).join(', ');
  console.log(`${plan.name}, ${name}: ${stops} stops (${all}), ${unknown} calls unknown afterwards`);
}

async function randomPairs(plan: GuardedPlan, reference: GuardedReport): Promise<void> {
  let reached = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const stops = [1, 2].map(() => ({ at: 1 + Math.floor(random() * reference.points), applied: random() < 0.5 }));
    const report = await guardedTrial({ plan, store: memoryStore(), stops, reference });
    judge(`${plan.name}, pair ${JSON.stringify(stops)}`, report);
    if (report.stoppedAt.length === 2) reached += 1;
  }
  console.log(`${plan.name}, memory: ${PAIRS} pairs of stops, the second one reached in ${reached}`);
}

function judge(name: string, { stoppedAt, lost, effects, askedAgain: again, faults }: GuardedReport): void {
  const all = [...lost.map((one) => `lost ${one}`), ...effects, ...again, ...faults];
  tally.check(`${name} (${stoppedAt.join('; ')})`, all);
}

interface Control extends Case {
  readonly unguarded: (store: SessionStore) => SessionStore;
  readonly broken: (report: GuardedReport) => boolean;
}

/** Every point again with a guard taken out, until it is noticed. */
async function control(name: string, { plan, reference, unguarded, broken }: Control): Promise<void> {
  for (let at = 1; at <= reference.points; at++) {
    const stops = [{ at, applied: false }];
    if (!broken(await guardedTrial({ plan, store: memoryStore(), stops, reference, unguarded }))) continue;
    console.log(`${plan.name}, control, ${name}: failed as it must, at point ${at}`);
    tally.check(`${plan.name}, control, ${name}`, []);
    return;
  }
  tally.check(`${plan.name}, control, ${name}`, ['the harness saw nothing wrong']);
}

function askedAgain({ askedAgain: again }: GuardedReport): boolean {
  return again.length > 0;
}

function doubled({ effects }: GuardedReport): boolean {
  return effects.some((fault) => fault.includes('had its effect'));
}
