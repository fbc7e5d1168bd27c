// Ends a process, without a process, at every await point of a session: from the chosen store operation, tool step or model step
// on nothing is written and nothing ever comes back; a store operation at that point is either done unheard or not done. A second
// life finishes the work over the same store (memory, SQLite). Everything acknowledged must be in the log, every model request
// valid, the end that of an undisturbed session, and no effect doubled that may not be repeated. Then two stops in a row, at
// random pairs of points. Controls without write-ahead and with early acknowledgements must fail.
// PAIRS=3000, SEED=1
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type SessionStore, sqliteStore } from '../src/index.ts';
import { type AwaitReport, awaitTrial } from './support/await-trial.ts';
import { acknowledgingEarly, withoutWriteAhead } from './support/store-wrappers.ts';
import { amountFrom, numberFrom, pointsUpTo, randomFrom, Tally } from './support/tally.ts';

const PAIRS = amountFrom('PAIRS', 3000);
/** Points at which something may be done unheard. */
const STORE_OPERATIONS: readonly string[] = ['create', 'acquire', 'renew', 'release', 'append', 'enqueue', 'inbox'];

const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
let files = 0;
const sqlite = () => sqliteStore({ path: join(folder, `${++files}.db`) });
const undisturbed = await awaitTrial({ store: memoryStore(), stops: [] });
tally.check('an undisturbed session', undisturbed.faults);
const { points, outputs: reference } = undisturbed;
console.log(`${points} points in an undisturbed session`);

await everyPoint('memory', memoryStore);
await everyPoint('SQLite', sqlite);
await randomPairs();
await control('without write-ahead', withoutWriteAhead, ({ doubled }) => doubled);
await control('acknowledged early', acknowledgingEarly, ({ lost }) => lost);
await rm(folder, { recursive: true });
tally.end();

async function everyPoint(name: string, make: () => SessionStore): Promise<void> {
  const kinds = new Map<string, number>();
  let [stops, unknown] = [0, 0];
  const stopAt = async (at: number, applied: boolean) => {
    const store = make();
    const report = await awaitTrial({ store, stops: [{ at, applied }], reference });
    await store[Symbol.asyncDispose]();
    const kind = report.stoppedAt[0] ?? 'not reached';
    judge(`${name}, point ${at}${applied ? ', applied' : ''}`, report);
    stops += 1;
    unknown += report.unknown;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    return kind;
  };
  for (const at of pointsUpTo(points)) {
    const kind = await stopAt(at, false);
    if (STORE_OPERATIONS.includes(kind)) await stopAt(at, true);
  }
  const all = [...kinds].map(([kind, times]) => `${times} ${kind}`).join(', ');
  console.log(`${name}: ${stops} stops (${all}), ${unknown} calls unknown afterwards`);
}

async function randomPairs(): Promise<void> {
  let reached = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const stops = [1, 2].map(() => ({ at: 1 + Math.floor(random() * points), applied: random() < 0.5 }));
    const report = await awaitTrial({ store: memoryStore(), stops, reference });
    judge(`pair ${JSON.stringify(stops)}`, report);
    if (report.stoppedAt.length === 2) reached += 1;
  }
  console.log(`memory: ${PAIRS} pairs of stops, the second one reached in ${reached}`);
}

function judge(name: string, { stoppedAt, lost, doubled, faults }: AwaitReport): void {
  const all = [...lost.map((one) => `lost ${one}`), ...doubled.map((one) => `doubled ${one}`), ...faults];
  tally.check(`${name} (${stoppedAt.join('; ')})`, all);
}

/** Every point again with a guard taken out: at some of them it has to be noticed. */
async function control(
  name: string,
  unguarded: (store: SessionStore) => SessionStore,
  broken: (report: AwaitReport) => readonly string[],
): Promise<void> {
  let noticed = 0;
  for (let at = 1; at <= points; at++) {
    const report = await awaitTrial({ store: memoryStore(), stops: [{ at, applied: false }], reference, unguarded });
    if (broken(report).length > 0) noticed += 1;
  }
  console.log(`control, ${name}: noticed at ${noticed} points`);
  tally.check(`control, ${name}`, noticed > 0 ? [] : ['the harness saw nothing wrong']);
}
