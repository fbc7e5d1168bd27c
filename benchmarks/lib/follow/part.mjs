/** One part of `follow.mjs`, in a process of its own: node part.mjs '{ store, readers, path, origin }' */
import { memoryStore, sqliteStore, watchSession } from '@x/agent-sdk';
import { cpuUs, newSession, run, TURNS } from './session.mjs';

const WARM_UPS = 3;
const RUNS = 3;
const options = JSON.parse(process.argv[2]);
const openStore = () => (options.store === 'memory' ? memoryStore() : sqliteStore({ path: options.path }));

const store = openStore();
const result = options.readers === 'elsewhere' ? await elsewhere() : await beside(options.readers);
await store[Symbol.asyncDispose]();
process.stdout.write(`\n@@${JSON.stringify(result)}\n`, () => process.exit(0));

/** The CPU time of a turn of a run that so many readers follow. */
async function beside(readers) {
  const figures = [];
  for (let index = 0; index < WARM_UPS + RUNS; index++) {
    const session = await newSession({ store, origin: options.origin });
    const followed = Array.from({ length: readers }, () => untilResult(session.events()));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = cpuUs();
    await run(session);
    const seen = await Promise.all(followed);
    figures.push((cpuUs() - before) / (TURNS + 1));
    if (seen.some((count) => count < 4 * TURNS)) throw new Error(`a reader was told ${Math.min(...seen)} events`);
    await session.close();
  }
  return { cpuUsPerTurn: figures.slice(WARM_UPS).toSorted((one, other) => one - other)[1] };
}

/** The CPU time for which a reader with a store of its own is told 1,000 records. */
async function elsewhere() {
  const session = await newSession({ store, origin: options.origin });
  for (let index = 0; index < WARM_UPS; index++) await run(session);
  const other = openStore();
  const figures = [];
  for (let index = 0; index < WARM_UPS + RUNS; index++) {
    const before = cpuUs();
    const seen = await untilResult(watchSession({ store: other, sessionId: session.sessionId }), WARM_UPS);
    figures.push((cpuUs() - before) / seen);
  }
  await session.close();
  await other[Symbol.asyncDispose]();
  return { cpuMsPer1000: figures.slice(WARM_UPS).toSorted((one, other) => one - other)[1] };
}

/** The number of events up to the `count`th result. */
async function untilResult(events, count = 1) {
  let seen = 0;
  let left = count;
  for await (const { event } of events) {
    seen += 1;
    if (event.type === 'result' && --left === 0) break;
  }
  return seen;
}
