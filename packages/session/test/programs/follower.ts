// Run by tests as a second process: answers each line of its input, a cursor or nothing, with the records of a session up to the next
// result, as JSON. Arguments: the file, the session.
import { createInterface } from 'node:readline';
import { watchSession } from '../../src/follow/watch-session.ts';
import { sqliteStore } from '../../src/index.ts';
import { isRecord, untilResult } from '../support/followed.ts';

const [path = '', sessionId = ''] = process.argv.slice(2);
const store = sqliteStore({ path });
for await (const from of createInterface({ input: process.stdin })) {
  const events = watchSession(from === '' ? { store, sessionId } : { store, sessionId, from });
  console.log(JSON.stringify((await untilResult(events)).filter(isRecord)));
}
await store[Symbol.asyncDispose]();
