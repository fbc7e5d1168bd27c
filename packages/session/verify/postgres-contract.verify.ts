// needs: initdb postgres pgbouncer setpriv
// The contract of stores on a real Postgres server, which the suite starts in a folder of its own: through a connection string, with
// prepared statements; and through pgbouncer in transaction mode, without them. Two processes may prepare the tables at the same time.
// Control: with prepared statements the pooler must be noticed.
// RUNS=24 (random command sequences each way)
import { type PostgresStoreOptions, postgresStore } from '../src/postgres/index.ts';
import { type StoreUnderTest, storeContract } from '../src/testing/index.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { amountFrom, Tally } from './support/tally.ts';

const RUNS = amountFrom('RUNS', 24);

const tally = new Tally();
const server = await PostgresServer.start(['fsync=off']);
let schemas = 0;
try {
  await server.startPooler();
  await play('directly', { connectionString: server.url, connections: 4 });
  await play('through a pooler', { connectionString: server.poolerUrl, connections: 4, prepared: false });
  await prepareAtOnce();
  await control();
} finally {
  await server[Symbol.asyncDispose]();
}
tally.end();

function storesOn(options: PostgresStoreOptions): () => StoreUnderTest {
  return () => {
    const schema = `s${(schemas += 1)}`;
    const open = () => postgresStore({ ...options, schema });
    return { store: open(), reopen: open };
  };
}

async function play(name: string, options: PostgresStoreOptions): Promise<void> {
  const startedAt = performance.now();
  const cases = storeContract(storesOn(options), { commandRuns: RUNS });
  for (const one of cases) {
    const fault = await one.run().then(() => undefined, String);
    tally.check(`${name}: ${one.name}`, fault === undefined ? [] : [fault]);
  }
  console.log(`${name}: ${cases.length} cases (${Math.round((performance.now() - startedAt) / 1000)} s)`);
}

/** Eight stores on tables that are not there yet. */
async function prepareAtOnce(): Promise<void> {
  const stores = Array.from({ length: 8 }, () => postgresStore({ connectionString: server.url, connections: 1 }));
  const outcomes = await Promise.allSettled(stores.map((store) => store.list()));
  const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
  tally.check('tables prepared by eight at once', faults);
  await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
}

async function control(): Promise<void> {
  const stores = Array.from({ length: 12 }, () =>
    postgresStore({ connectionString: server.poolerUrl, connections: 4 }),
  );
  const outcomes = await Promise.allSettled(
    stores.flatMap((store) => Array.from({ length: 8 }, () => store.read('nobody')[Symbol.asyncIterator]().next())),
  );
  const advised = outcomes.filter((one) => one.status === 'rejected' && String(one.reason).includes('prepared: false'));
  console.log(
    `control, prepared statements through the pooler: ${advised.length} of ${outcomes.length} say what to do`,
  );
  tally.check('control, prepared', advised.length > 0 ? [] : ['nothing was noticed']);
  await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
}
