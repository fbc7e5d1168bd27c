// A reader that pulls once and is dropped, with its session. Argument: the file of a store, or nothing for one in memory. Says `free`
// when another handle has run the session.
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedModel } from '@x/core/testing';
import { createSession, memoryStore, resumeSession, sqliteStore } from '../../src/index.ts';

const [path] = process.argv.slice(2);
const store = path === undefined ? memoryStore() : sqliteStore({ path });
const createModel = () => scriptedModel(() => ({ text: ['fine', ' so far'] }));
const options = { provider: { type: 'custom' as const, createModel }, model: 'm', store };

const sessionId = await dropped();
for (;;) {
  globalThis.gc?.();
  await sleep(20);
  const session = await resumeSession({ ...options, sessionId });
  await session.send('Again.');
  try {
    for await (const event of session.stream()) if (event.type === 'result') console.log('free', event.subtype);
    break;
  } catch (error) {
    if ((error as { code?: string }).code !== 'SESSION_BUSY') throw error;
  } finally {
    await session.close();
  }
}
await store[Symbol.asyncDispose]();

async function dropped(): Promise<string> {
  const session = await createSession(options);
  await session.send('Go.');
  await session.stream().next();
  return session.sessionId;
}
