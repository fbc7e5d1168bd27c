// One process of a session: does what is left of the plan in the folder, then ends. Prints a line when it begins.
// Arguments: the folder, the plan (demo, short or ticking), the guard that is taken out (see `unguarded`), milliseconds of lease,
// whether it waits for a word on its input. Prints another line when the model is
// first asked. SIGUSR2 makes the ticking plan run out of memory.
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Workspace } from '@x/core';
import { type SessionOptions, type SessionStore, sqliteStore } from '../../src/index.ts';
import { acknowledgeTo } from './acknowledgements.ts';
import { demoOptions, demoPlan, shortPlan } from './demo-plan.ts';
import { codeOf, doWork, type Work } from './do-work.ts';

import {
  acknowledgingEarly,
  repairingSilently,
  withLease,
  withoutPatience,
  withoutWriteAhead,
} from './store-wrappers.ts';
import { tickingPlan } from './ticking-plan.ts';

import { withoutFlush } from './without-flush.ts';
import { endWatchers, findingNothing } from './without-watch.ts';

/** Attempts in one process at work that the store refuses to record. */
const ATTEMPTS = 4;

const [folder = '', planName, guard, leaseMs = '1', begin] = process.argv.slice(2);
if (guard === 'flush') withoutFlush();
const store = sqliteStore({ path: join(folder, 'sessions.db') });
const acknowledge = acknowledgeTo(join(folder, 'acknowledged.jsonl'), { sync: planName === 'demo' });
const cwd = join(folder, 'workspace');
const plan = planName === 'demo' ? demoPlan : planName === 'short' ? shortPlan : tickingPlan;
let hasAsked = false;
const demo = demoOptions(cwd, (callId) => acknowledge({ kind: 'asked', callId }));
const findsNothing = guard === 'resume' || guard === 'both';
const options = {
  ...(findsNothing ? withoutCwd(demo, findingNothing(cwd)) : demo),
  maxCrashes: 1_000, // on a slow machine several kills in a row come before the next record
};
const work: Work = {
  plan,
  // A disk that stays as it is would be waited for until the lease ends.
  store: unguarded(withLease(process.env['IMPATIENT'] ? withoutPatience(store) : store, Number(leaseMs))),
  look: store,
  options,
  acknowledge,
  pause: async () => {
    if (!hasAsked) writeSync(1, 'asks\n');
    hasAsked = true;
    await sleep(1);
  },
};
if (planName === 'ticking') process.on('SIGUSR2', fillMemory);
if (guard === 'watcher' || guard === 'both') endWatchers();
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

/** A workspace has a directory of its own. */
function withoutCwd({ cwd: _, ...rest }: Partial<SessionOptions>, workspace: Workspace): Partial<SessionOptions> {
  return { ...rest, workspace };
}

function fillMemory(): never {
  for (const held: unknown[] = []; ; ) held.push(Array.from({ length: 1e6 }).fill(held.length));
}

function unguarded(guarded: SessionStore): SessionStore {
  if (guard === 'write-ahead') return withoutWriteAhead(guarded);
  if (guard === 'repair') return repairingSilently(guarded);
  return guard === 'acknowledge' ? acknowledgingEarly(guarded) : guarded;
}
