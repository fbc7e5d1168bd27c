// Asks for the lease of the only session of a database, once, and prints `taken` or `refused`; what it gets it gives back.
// Arguments: the database, milliseconds of lease, and what the lease goes by: `clock`, or `time-of-day` (a control: what is noted of the
// holder's process and clock is forgotten).
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from '../../src/index.ts';

const [path = '', leaseMs = '0', by] = process.argv.slice(2);
if (by === 'time-of-day') {
  const database = new DatabaseSync(path);
  database.exec("update sessions set owner = json_remove(owner, '$.clock', '$.process') where owner is not null");
  database.close();
}
const store = sqliteStore({ path });
const [session] = (await store.list()).sessions;
const lease = session && (await store.acquire(session.sessionId, 'asker', Number(leaseMs)));
if (lease) await store.release(lease);
await store[Symbol.asyncDispose]();
console.log(lease ? 'taken' : 'refused');
