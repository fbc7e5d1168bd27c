// One of several processes that write to one file as its parent says. Arguments: the file, and whether the store compares.
// It keeps what it has learned of a session when it took it over, and goes on with that, however stale it has become.
import { type EntryBody, sqliteStore } from '../../src/index.ts';
import type { ExpectedHead } from '../../src/store-port.ts';
import { withoutCompare } from './store-wrappers.ts';

/** What the parent asks. `take`: takes the session over. `append`: `times` entries, all at once. */
export interface Ask {
  readonly id: number;
  readonly kind: 'take' | 'append';
  readonly sessionId: string;
  readonly times: number;
}
/** What became of it: the codes of refusals, and the sequences of what was acknowledged. */
export interface Answer {
  readonly id: number;
  readonly known?: ExpectedHead;
  readonly accepted: readonly number[];
  readonly refused: readonly string[];
}

const [path = '', comparing] = process.argv.slice(2);
const file = sqliteStore({ path });
const store = comparing === 'accept' ? withoutCompare(file) : file;
const known = new Map<string, ExpectedHead>();
const body: EntryBody = { type: 'record', scope: [], record: { type: 'note', name: 'writer', data: process.pid } };

process.on('message', (ask: Ask) => void answer(ask).then((reply) => process.send?.(reply)));
process.on('disconnect', () => void file[Symbol.asyncDispose]());

async function answer({ id, kind, sessionId, times }: Ask): Promise<Answer> {
  if (kind === 'take') {
    const lease = await store.acquire(sessionId, `writer ${process.pid}`, 0);
    if (!lease) return { id, accepted: [], refused: ['NO_LEASE'] };
    known.set(sessionId, { epoch: lease.epoch, head: lease.head });
    return { id, known: { epoch: lease.epoch, head: lease.head }, accepted: [], refused: [] };
  }
  const start = known.get(sessionId) ?? { epoch: 0, head: 1 };
  const attempts = Array.from({ length: times }, (_, index) =>
    store.append(sessionId, { epoch: start.epoch, head: start.head + index }, [body]),
  );
  const [accepted, refused]: [number[], string[]] = [[], []];
  for (const outcome of await Promise.allSettled(attempts)) {
    if (outcome.status === 'fulfilled') accepted.push(outcome.value);
    else refused.push(String((outcome.reason as { code?: unknown }).code));
  }
  known.set(sessionId, { epoch: start.epoch, head: start.head + accepted.length });
  return { id, accepted, refused };
}
