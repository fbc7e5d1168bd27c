// One of several processes that append to one session. Arguments: the file or the URL of the database, the session, its own number, attempts, the epoch
// (0: it takes the lease over whenever it can, for a moment), and whether the store compares (`compare` or `accept`).
// Prints what became of its attempts, as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { SessionError } from '@x/core';
import type { EntryBody } from '../../src/index.ts';
import type { ExpectedHead } from '../../src/store-port.ts';
import { storeAt } from './store-at.ts';
import { withoutCompare } from './store-wrappers.ts';

/** What one process was told. */
export interface WorkerReport {
  /** Attempts that were acknowledged, with the number of their entry. */
  readonly accepted: readonly (readonly [attempt: number, seq: number])[];
  readonly refused: readonly number[];
  /** Accepted, although it knew that what it expected was out of date. */
  readonly staleAccepted: number;
  readonly staleTried: number;
  readonly codes: Readonly<Record<string, number>>;
}

const LEASE_MS = 5;

const [place = '', sessionId = '', worker = '', attempts = '0', sharedEpoch = '0', comparing] = process.argv.slice(2);
const opened = storeAt(place);
const store = comparing === 'accept' ? withoutCompare(opened) : opened;
const [accepted, refused]: [[number, number][], number[]] = [[], []];
const codes: Record<string, number> = {};
let [staleTried, staleAccepted] = [0, 0];
let known: ExpectedHead | undefined = Number(sharedEpoch) > 0 ? { epoch: Number(sharedEpoch), head: 1 } : undefined;

for (let attempt = 1; attempt <= Number(attempts); ) {
  known ??= await takeOver();
  if (!known) {
    await sleep(1);
    continue;
  }
  const stale = known.head > 5 && Math.random() < 0.2;
  const expected = stale ? outOfDate(known) : known;
  if (stale) staleTried += 1;
  try {
    const head = await store.append(sessionId, expected, [noteOf(attempt)]);
    accepted.push([attempt, head]);
    if (stale) staleAccepted += 1;
    known = { epoch: known.epoch, head };
  } catch (error) {
    refused.push(attempt);
    known = afterRefusal(error, known);
  }
  attempt += 1;
  if (Math.random() < 0.02) await sleep(2 * LEASE_MS * Math.random());
}
await opened[Symbol.asyncDispose]();
const report: WorkerReport = { accepted, refused, staleTried, staleAccepted, codes };
console.log(JSON.stringify(report));

async function takeOver(): Promise<ExpectedHead | undefined> {
  const lease = await store.acquire(sessionId, `worker-${worker}`, LEASE_MS);
  return lease && { epoch: lease.epoch, head: lease.head };
}

/** An older head, or an older epoch with the right head. */
function outOfDate({ epoch, head }: ExpectedHead): ExpectedHead {
  return Math.random() < 0.5 ? { epoch, head: head - 1 - Math.floor(Math.random() * 4) } : { epoch: epoch - 1, head };
}

function noteOf(attempt: number): EntryBody {
  return { type: 'record', scope: [], record: { type: 'note', name: `worker-${worker}`, data: attempt } };
}

/** What is to be expected next: a stale head is read again, a lost epoch is given up. @throws anything else */
function afterRefusal(error: unknown, before: ExpectedHead): ExpectedHead | undefined {
  if (!(error instanceof SessionError)) throw error;
  codes[error.code] = (codes[error.code] ?? 0) + 1;
  const { found } = error.details as { found: ExpectedHead };
  if (error.code === 'SESSION_CONFLICT') return found;
  if (error.code !== 'SESSION_FENCED') throw error;
  return found.epoch === before.epoch ? found : undefined;
}
