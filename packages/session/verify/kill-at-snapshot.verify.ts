// Ends a process, without a process, at every await point of a session whose log is long enough for snapshots: taking and reading one
// are points too, and another process adds to the log between two lives. What is read by way of a snapshot must be what the whole log
// comes to, after every stop; everything acknowledged must be there, no effect doubled, no lease left. A control whose snapshots leave
// out a message must fail.
// SQLITE=60, PAIRS=100, SEED=1
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type SessionStore, sqliteStore } from '../src/index.ts';
import { scopeOf } from '../src/log/fold.ts';
import { markAt } from '../src/log/load-state.ts';
import { snapshotOf, stateIn } from '../src/log/snapshot.ts';
import type { Stop } from './support/life.ts';
import { type SnapshotReport, snapshotTrial } from './support/snapshot-trial.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
let files = 0;
const sqlite = () => sqliteStore({ path: join(folder, `${++files}.db`) });
const undisturbed = await snapshotTrial({ store: memoryStore(), stops: [] });
tally.check('an undisturbed session', undisturbed.faults);
const { points, outputs: reference } = undisturbed;

const everyPoint = Array.from({ length: points }, (_, index) => index + 1);
const kinds = await stopAll(
  'memory',
  memoryStore,
  everyPoint.flatMap((at) => [[{ at, applied: false }], [{ at, applied: true }]]),
);
for (const kind of ['saveSnapshot', 'latestSnapshot'])
  tally.check(`a stop at ${kind}`, kinds.has(kind) ? [] : ['there was none']);
await stopAll(
  'SQLite',
  sqlite,
  Array.from({ length: amountFrom('SQLITE', 60) }, () => [anyStop()]),
);
await stopAll(
  'memory, two stops',
  memoryStore,
  Array.from({ length: amountFrom('PAIRS', 100) }, () => [anyStop(), anyStop()]),
);
await control();
await rm(folder, { recursive: true });
tally.end();

function anyStop(): Stop {
  return { at: 1 + Math.floor(random() * points), applied: random() < 0.5 };
}

/** How often a process was stopped at what. */
async function stopAll(
  name: string,
  make: () => SessionStore,
  all: readonly (readonly Stop[])[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  let fromSnapshots = 0;
  for (const stops of all) {
    const store = make();
    const report = await snapshotTrial({ store, stops, reference });
    await store[Symbol.asyncDispose]();
    judge(`${name}, ${JSON.stringify(stops)}`, report);
    fromSnapshots += report.fromSnapshots;
    for (const kind of report.stoppedAt) found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  const told = [...found].map(([kind, times]) => `${times} ${kind}`).join(', ');
  console.log(`${name}: ${all.length} sessions, stopped at ${told}; ${fromSnapshots} times read by way of a snapshot`);
  return found;
}

function judge(name: string, { stoppedAt, faults }: SnapshotReport): void {
  tally.check(`${name} (${stoppedAt.join('; ')})`, faults);
}

async function control(): Promise<void> {
  let noticed = 0;
  for (let at = Math.ceil(points / 2); at <= points; at += 10) {
    const report = await snapshotTrial({
      store: memoryStore(),
      stops: [{ at, applied: false }],
      reference,
      unguarded: forgetting,
    });
    if (report.faults.some((fault) => fault.includes('differ'))) noticed += 1;
  }
  console.log(`control, snapshots that leave out a message: noticed ${noticed} times`);
  tally.check('control, snapshots that leave out a message', noticed > 0 ? [] : ['the harness saw nothing wrong']);
}

/** Control: a snapshot is well formed and has not all that the log has. */
function forgetting(store: SessionStore): SessionStore {
  return {
    ...store,
    async saveSnapshot(sessionId, snapshot) {
      const mark = (await markAt(store, sessionId, snapshot.seq))!;
      const state = stateIn(sessionId, { snapshot, mark })!;
      scopeOf(state, []).messages.splice(0, 1);
      await store.saveSnapshot(sessionId, snapshotOf(sessionId, state, mark));
    },
  };
}
