// A worker whose calls are noted. Its argument is JSON, a `CutWorkerOptions`. It tells its parent the code of each error, and what it holds when asked.
// SIGTERM: it leaves.
import { appendFileSync } from 'node:fs';
import { sleep } from '@x/core';
import { type SessionStore, serveSessions } from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';
import { answeringModel } from '../../test/support/engine-world.ts';
import { toolNamed } from '../../test/support/makers.ts';
import { engineAt } from './engine-at.ts';
import { measure } from './measure.ts';
import { withLease, withoutCompare, withoutHead } from './store-wrappers.ts';

export interface CutWorkerOptions {
  /** Of the database. */
  readonly url: string;
  /** The file in which calls are noted, one `CallNote` a line. */
  readonly notes: string;
  readonly workMs: number;
  /** So great a share of the calls takes so many milliseconds. Default: none. */
  readonly slow?: { readonly share: number; readonly ms: number } | undefined;
  /** Of the store's leases; default that of the SDK. */
  readonly leaseMs?: number | undefined;
  /** The URL of a queue. Default: it has an engine of its own. */
  readonly queue?: string | undefined;
  /** It looks for nothing by itself: only the queue brings sessions. */
  readonly isBlind?: boolean | undefined;
  /** Controls: appends compare neither epoch nor head, or not the head. */
  readonly without?: 'compare' | 'head' | undefined;
}
/** A call of the tool that has begun, ended or was aborted; `at` by the clock of the machine. */
export interface CallNote {
  readonly key: string;
  readonly what: 'begun' | 'ended' | 'aborted';
  readonly at: number;
}

const { url, notes, workMs, slow, leaseMs, queue, isBlind, without }: CutWorkerOptions = JSON.parse(
  process.argv[2] ?? '{}',
);
const opened = postgresStore({ connectionString: url, connections: 4 });
const store = comparing(leaseMs === undefined ? opened : withLease(opened, leaseMs));
const engine = engineAt(queue, { concurrency: 3, retryDelay: 10, maxRetryDelay: 200, onError: tell });
const work = toolNamed('work', async (_, { idempotencyKey: key, signal }) => {
  const note = (what: CallNote['what']) => appendFileSync(notes, `${JSON.stringify({ key, what, at: Date.now() })}\n`);
  note('begun');
  await sleep(slow && Math.random() < slow.share ? slow.ms : workMs, signal).catch((error: unknown) => {
    note('aborted');
    throw error;
  });
  note('ended');
  return 'worked';
});
const serving = await serveSessions({
  engine,
  store: isBlind ? blind(store) : store,
  lookEveryMs: 100,
  options: () => ({ provider: answeringModel, model: 'm', tools: [work], permissionMode: 'bypassPermissions' }),
  onError: tell,
});
process.on('message', () => void measure().then((held) => process.send?.({ held })));
process.once('SIGTERM', () => void leave());
process.send?.('serving');

function comparing(store: SessionStore): SessionStore {
  if (without === 'compare') return withoutCompare(store);
  return without === 'head' ? withoutHead(store) : store;
}

function blind({ waiting: _, ...rest }: SessionStore): SessionStore {
  return { ...rest, list: async () => ({ sessions: [] }) };
}

function tell(error: unknown): void {
  const { code } = (error ?? {}) as { readonly code?: unknown }; // read as possibly absent
  process.send?.({ code: typeof code === 'string' ? code : String(error) });
}

async function leave(): Promise<void> {
  for (const one of [serving, engine, store]) await one[Symbol.asyncDispose]();
  process.disconnect();
}
