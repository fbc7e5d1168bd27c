import { createHash } from 'node:crypto';
import { createSession, listSessions } from '@x/agent-sdk';
import { postgresStore } from '@x/agent-sdk/postgres';
import { withClient } from './postgres.mjs';
import { optionsOf } from './sessions.mjs';

/** Sessions of one user, and of one folder, whatever the number of all. */
export const OF_A_USER = 10;
/** Tenants: each has so great a part of all sessions. */
export const TENANTS = 20;
/** Sessions in a state other than idle, each kind, whatever the number of all. */
export const NOT_IDLE = 20;

/**
 * Copies of one session that has run, with one call, as a fork copies its entries. Most are idle; some wait for an answer, were interrupted, are
 * held by an owner, or have a message that waits.
 */
export async function fill({ url, origin, sessions }) {
  const store = postgresStore({ connectionString: url });
  const template = await ran({ store, origin });
  await withClient(url, async (client) => {
    await client.query('set search_path = agent_sdk');
    await client.query('set synchronous_commit = off');
    const { rows } = await client.query('select number, updated_at from sessions where id = $1', [template]);
    const { number, updated_at: updatedAt } = rows[0];
    const groups = Math.max(1, Math.floor(sessions / OF_A_USER));
    await client.query(SESSIONS, [number, updatedAt, groups, TENANTS, sessions]);
    for (const statement of COPIES) await client.query(statement, [number]);
    const each = Math.floor(sessions / (5 * NOT_IDLE)); // spread over the list
    for (const [place, change] of STATES.entries()) {
      const ids = Array.from({ length: NOT_IDLE }, (_, index) => idOf((index * 5 + place) * each));
      await client.query(`update sessions set ${change} where id = any($1)`, [ids]);
    }
    for (let index = 0; index < NOT_IDLE; index++) {
      const message = { id: crypto.randomUUID(), role: 'user', content: [{ type: 'text', text: 'And?' }] };
      const item = { message: { ...message, createdAt: new Date().toISOString() }, priority: 'next' };
      await store.enqueue(idOf((index * 5 + STATES.length) * each), item);
    }
    await client.query('vacuum analyze');
  });
  await check(store, sessions);
  await store[Symbol.asyncDispose]();
  return {};
}

const STATES = [
  "run = 'waiting'",
  "run = 'open'",
  "run = 'open', owner = 'benchmark', lease_until = (extract(epoch from now()) * 1000)::bigint + 86400000",
];
/** Labels as the store makes them of metadata; `check` notices if it does not any more. */
const SESSIONS = `insert into sessions (id, cwd, title, metadata, labels, head, epoch, run, last_result, updated_at)
  select md5(i::text)::uuid::text, '/work/p' || i % $3::int, '"A title"', json_build_object('user', 'u' || i % $3::int, 'tenant', 't' || i % $4::int)::text,
    array[label('user', 'u' || i % $3::int), label('tenant', 't' || i % $4::int)], head, epoch, run, last_result, $2::bigint - i * 1000
  from sessions, generate_series(0, $5::int - 1) as i where number = $1`.replaceAll(
  /label\(('\w+'), (.*?)\)(?=[,\]])/g,
  `left(encode(sha256(convert_to('["' || $1 || '","' || $2 || '"]', 'UTF8')), 'hex'), 32)`,
);
const COPIES = [
  `insert into entries (number, seq, epoch, at, checksum, body) select copy.number, seq, entry.epoch, at, checksum, body
    from sessions as copy, entries as entry where entry.number = $1 and copy.number > $1`,
  `insert into messages (number, message_id) select copy.number, message_id from sessions as copy, messages as message
    where message.number = $1 and copy.number > $1`,
  `insert into snapshots (number, seq, format, state) select copy.number, seq, format, state
    from sessions as copy, snapshots as kept where kept.number = $1 and copy.number > $1`,
];

/** The id of the session of this number. */
export function idOf(index) {
  const hex = createHash('md5').update(String(index)).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A session with one run, and the fields of a list that others have too. */
async function ran({ store, origin }) {
  const session = await createSession({ ...optionsOf({ origin, turns: 1 }), store });
  await session.send('Go.');
  for await (const event of session.stream()) if (event.type === 'error') throw new Error(event.message);
  await session.close();
  return session.sessionId;
}

async function check(store, sessions) {
  const ofUser = await listSessions({ store, metadata: { user: 'u1' } });
  const waiting = await listSessions({ store, state: 'waiting' });
  const found = [ofUser.sessions.length, waiting.sessions.length, (await store.waiting()).length].join();
  const expected = [Math.min(OF_A_USER, sessions), NOT_IDLE, NOT_IDLE].join();
  if (found !== expected)
    throw new Error(`${found} sessions of a user, waiting, with messages, instead of ${expected}`);
}
