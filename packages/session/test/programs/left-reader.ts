// Sessions whose readers leave in the middle of a stream and whose model keeps the requests it was sent; prints how many of 20 are
// still in memory after garbage collection. Needs --expose-gc.
import { setTimeout as wait } from 'node:timers/promises';
import type { ModelRequest } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { createSession, memoryStore } from '../../src/index.ts';

const store = memoryStore();
const sessions: WeakRef<object>[] = [];
for (let index = 0; index < 20; index++) await leave();
for (let round = 0; round < 10; round++) {
  await wait(20);
  globalThis.gc!(); // --expose-gc
}
console.log(sessions.filter((session) => session.deref() !== undefined).length);

async function leave(): Promise<void> {
  const kept: ModelRequest[] = [];
  const model = scriptedModel((request) => {
    kept.push(request);
    return { text: ['One ', 'moment.'] };
  });
  const session = await createSession({ store, provider: { type: 'custom', createModel: () => model }, model: 'm' });
  await session.send('Hello.');
  for await (const { type } of session.stream()) if (type === 'content') break;
  await session.close();
  sessions.push(new WeakRef(session), new WeakRef(model));
}
