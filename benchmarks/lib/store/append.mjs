import { median } from '../statistics.mjs';
import { openBare } from './bare-sqlite.mjs';
import { entryOf, messageOf } from './message.mjs';
import { openOurs } from './our-store.mjs';

/** So that both are compiled: what the first appends cost is part of the measures of whole sessions. */
const WARM_UP = 500;

/** Durable appends one after the other, `together` messages in each. */
export async function append({ who, folder, together = 1, appends = 300 }) {
  const writer = await (who === 'bare' ? bareWriter(folder) : ourWriter(folder));
  let number = 0;
  const next = () => {
    const first = number;
    number += together;
    return writer.write(first, together);
  };
  for (let index = 0; index < WARM_UP; index++) await next();
  const times = [];
  const before = process.cpuUsage();
  for (let index = 0; index < appends; index++) {
    const start = performance.now();
    await next();
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  const written = await writer.close();
  if (written !== number) throw new Error(`${written} messages are there instead of ${number}`);
  const messages = appends * together;
  return { wallUs: (median(times) * 1000) / together, cpuUs: (user + system) / messages };
}

function bareWriter(folder) {
  const database = openBare(`${folder}/bare.db`);
  const insert = database.prepare('insert into messages values (?, ?, ?)');
  return {
    write(first, count) {
      if (count > 1) database.exec('begin immediate');
      for (let index = 0; index < count; index++) {
        const number = first + index;
        insert.run('s', number, JSON.stringify(messageOf(number)));
      }
      if (count > 1) database.exec('commit');
    },
    close() {
      const { count } = database.prepare('select count(*) as count from messages').get();
      database.close();
      return count;
    },
  };
}

async function ourWriter(folder) {
  const store = await openOurs(`${folder}/ours.db`);
  await store.create('s', { type: 'session_created', format: 1, cwd: '/' });
  const { epoch, head } = await store.acquire('s', 'benchmark', 600_000);
  return {
    async write(first, count) {
      const entries = Array.from({ length: count }, (_, index) => entryOf(first + index));
      await store.append('s', { epoch, head: head + first }, entries);
    },
    async close() {
      const written = (await Array.fromAsync(store.read('s'))).length - 1;
      await store[Symbol.asyncDispose]();
      return written;
    },
  };
}
