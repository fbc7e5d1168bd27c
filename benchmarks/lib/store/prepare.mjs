import { openBare } from './bare-sqlite.mjs';
import { entryOf, messageOf } from './message.mjs';
import { ONE_WORD, openOurs } from './our-store.mjs';

const BATCH = 500;

/** The files that are read: the same sessions in a bare table and in ours, ours with a snapshot too. */
export async function prepare({ folder, messages, sessions }) {
  fillBare({ path: `${folder}/bare.db`, messages, sessions });
  await fillOurs({ path: `${folder}/ours.db`, messages });
  await fillOurs({ path: `${folder}/snapshot.db`, messages });
  await runOnce(`${folder}/snapshot.db`);
  await fillList({ path: `${folder}/list.db`, sessions });
  return {};
}

function fillBare({ path, messages, sessions }) {
  const database = openBare(path);
  const insert = database.prepare('insert into messages values (?, ?, ?)');
  database.exec('begin');
  for (let number = 0; number < messages; number++) insert.run('s', number, JSON.stringify(messageOf(number)));
  const add = database.prepare('insert into sessions values (?, ?, ?)');
  for (let number = 0; number < sessions; number++) add.run(crypto.randomUUID(), 1_700_000_000_000 + number, 'A title');
  database.exec('commit');
  database.close();
}

async function fillOurs({ path, messages }) {
  const store = await openOurs(path);
  await store.create('s', { type: 'session_created', format: 1, cwd: folderOf(path) });
  const lease = await store.acquire('s', 'benchmark', 600_000);
  for (let first = 0; first < messages; first += BATCH) {
    const count = Math.min(BATCH, messages - first);
    const entries = Array.from({ length: count }, (_, index) => entryOf(first + index));
    await store.append('s', { epoch: lease.epoch, head: 1 + first }, entries);
  }
  await store.release(lease);
  await store[Symbol.asyncDispose]();
}

/** A run at whose end the snapshot is saved. */
async function runOnce(path) {
  const { resumeSession } = await import('@x/agent-sdk');
  const store = await openOurs(path);
  const session = await resumeSession({ sessionId: 's', store, provider: ONE_WORD, model: 'm', tools: [] });
  await session.send('And?');
  for await (const _ of session.stream()) continue;
  await session.close();
  await store[Symbol.asyncDispose]();
}

async function fillList({ path, sessions }) {
  const store = await openOurs(path);
  const one = async () => {
    const id = crypto.randomUUID();
    await store.create(id, { type: 'session_created', format: 1, cwd: folderOf(path) });
    const lease = await store.acquire(id, 'benchmark', 600_000);
    await store.append(id, { epoch: lease.epoch, head: 1 }, [
      { type: 'title', title: 'A title' },
      entryOf(0),
      entryOf(1),
    ]);
    await store.release(lease);
  };
  for (let done = 0; done < sessions; done += BATCH) {
    await Promise.all(Array.from({ length: Math.min(BATCH, sessions - done) }, one));
  }
  await store[Symbol.asyncDispose]();
}

function folderOf(path) {
  return path.slice(0, path.lastIndexOf('/'));
}
