// One process of a session: does what is left of the plan in the folder, then ends. Prints a line when it begins.
// Arguments: the folder, the plan (demo or short), the guard that is taken out (see `unguarded`), milliseconds of lease,
// whether it waits for a word on its input.
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SessionStore, sqliteStore } from '../../src/index.ts';
import { acknowledgeTo } from './acknowledgements.ts';
import { demoOptions, demoPlan, shortPlan } from './demo-plan.ts';
import { codeOf, doWork, type Work } from './do-work.ts';
import { acknowledgingEarly, repairingSilently, withLease, withoutWriteAhead } from './store-wrappers.ts';
import { withoutFlush } from './without-flush.ts';

/** Attempts in one process at work that the store refuses to record. */
const ATTEMPTS = 4;

const [folder = '', planName, guard, leaseMs = '1', begin] = process.argv.slice(2);
if (guard === 'flush') withoutFlush();
const store = sqliteStore({ path: join(folder, 'sessions.db') });
const acknowledge = acknowledgeTo(join(folder, 'acknowledged.jsonl'), { sync: planName === 'demo' });
const cwd = join(folder, 'workspace');
const work: Work = {
  plan: planName === 'demo' ? demoPlan : shortPlan,
  store: unguarded(withLease(store, Number(leaseMs))),
  look: store,
  options: demoOptions(cwd, (callId) => acknowledge({ kind: 'asked', callId })),
  acknowledge,
  pause: () => sleep(1),
};
writeSync(1, 'begins\n');
if (begin === 'wait') readSync(0, Buffer.alloc(1));
for (let attempt = 1; ; attempt++) {
  try {
    await doWork(work);
    break;
  } catch (error) {
    acknowledge({ kind: 'failure', code: codeOf(error) });
    if (attempt === ATTEMPTS) throw error;
    await sleep(5);
  }
}
await store[Symbol.asyncDispose]();

function unguarded(guarded: SessionStore): SessionStore {
  if (guard === 'write-ahead') return withoutWriteAhead(guarded);
  if (guard === 'repair') return repairingSilently(guarded);
  return guard === 'acknowledge' ? acknowledgingEarly(guarded) : guarded;
}
