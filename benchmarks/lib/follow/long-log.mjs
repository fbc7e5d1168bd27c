/**
 * A log of so many records, and what it costs a process that has read nothing yet to follow it, or to read it bare:
 * node long-log.mjs '{ step: fill | follow | bare, records, path, origin }'
 */
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { sqliteStore, watchSession } from '@x/agent-sdk';
import { cpuUs, newSession, run } from './session.mjs';

const ROWS = 50;
const { step, records, path, origin } = JSON.parse(process.argv[2]);
const store = sqliteStore({ path });
const steps = { fill, follow, bare };
const result = await steps[step]();
await store[Symbol.asyncDispose]();
process.stdout.write(`\n@@${JSON.stringify(result)}\n`, () => process.exit(0));

/** Runs once, and appends what that has recorded as often as it takes. */
async function fill() {
  const session = await newSession({ store, origin });
  await run(session);
  await session.close();
  const { sessionId } = session;
  const bodies = (await Array.fromAsync(store.read(sessionId))).map(({ body }) => body);
  const ofRun = bodies.slice(bodies.findIndex(({ type }) => type === 'run_started'));
  const { head, epoch } = await store.acquire(sessionId, 'benchmark', 600_000);
  for (let at = head; at < records + head; ) at = await store.append(sessionId, { epoch, head: at }, ofRun);
  return {};
}

async function follow() {
  const [{ sessionId }] = (await store.list()).sessions;
  const before = cpuUs();
  let left = records;
  for await (const _ of watchSession({ store, sessionId })) if (--left === 0) break;
  return { cpuMsPer1000: (cpuUs() - before) / records };
}

/** The same rows without this SDK. */
async function bare() {
  const database = new DatabaseSync(path, { readOnly: true });
  const select = database.prepare(
    'select key, epoch, at, body, checksum from entries where key > ? order by key limit ?',
  );
  const before = cpuUs();
  let last = 0;
  for (let left = records; left > 0; left -= ROWS) {
    const rows = select.all(last, Math.min(ROWS, left));
    for (const { key, at, body, checksum } of rows) {
      last = key;
      if (crc32(body, key % 2 ** 32) !== checksum) throw new Error(`the checksum of ${String(key)} is wrong`);
      JSON.parse(body);
      new Date(at).toISOString();
    }
  }
  return { cpuMsPer1000: (cpuUs() - before) / records };
}
