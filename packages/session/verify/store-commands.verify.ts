// Thousands of random sequences of commands (create, append, stale append, acquire, expire, renew, release, enqueue, fork, snapshot,
// remove, open anew, list) against the built-in stores and a model of them: both must answer alike. Controls, stores that each do one
// thing otherwise, must be noticed.
// RUNS=2000 (on the memory store; a quarter of it on SQLite), SEED=0 (another one each time)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type SessionStore, sqliteStore } from '../src/index.ts';
import { type StoreUnderTest, storeContract } from '../src/testing/index.ts';
import { withoutCompare } from './support/store-wrappers.ts';
import { numberFrom, Tally } from './support/tally.ts';

const RUNS = numberFrom('RUNS', 2000);
const SEED = numberFrom('SEED', 0);

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'session-verify-'));
let files = 0;
const onFile = (): StoreUnderTest => {
  files += 1;
  const path = join(folder, `${files}.db`);
  const removed = () => Promise.all(['', '-wal', '-shm'].map((end) => rm(`${path}${end}`, { force: true })));
  return {
    store: sqliteStore({ path }),
    reopen: () => sqliteStore({ path }),
    dispose: async () => void (await removed()),
  };
};
const changed = (change: (store: SessionStore) => SessionStore) => (): StoreUnderTest => ({
  store: change(memoryStore()),
});

await play('memory', () => ({ store: memoryStore() }), RUNS);
await play('sqlite', onFile, Math.ceil(RUNS / 4));
await play('control: does not compare', changed(withoutCompare), RUNS, true);
await play(
  'control: renews for anybody',
  changed((store) => ({ ...store, renew: async () => true })),
  RUNS,
  true,
);
await play('control: forgets to consume', changed(forgetful), RUNS, true);
await rm(folder, { recursive: true });
tally.end();

async function play(name: string, make: () => StoreUnderTest, runs: number, fails = false): Promise<void> {
  const startedAt = performance.now();
  const options = { lasting: false, commandRuns: runs, ...(SEED > 0 ? { seed: SEED } : {}) };
  const commands = storeContract(make, options).at(-1)!; // safe: with runs, the commands are the last case
  const fault = await commands.run().then(() => undefined, String);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${name}: ${runs} sequences, ${fault === undefined ? 'nothing noticed' : 'noticed'} (${seconds} s)`);
  if (fails) tally.check(name, fault === undefined ? ['the commands saw nothing wrong'] : []);
  else tally.check(name, fault === undefined ? [] : [fault]);
}

function forgetful(store: SessionStore): SessionStore {
  return { ...store, append: (sessionId, expected, entries) => store.append(sessionId, expected, entries) };
}
