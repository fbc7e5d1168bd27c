// Run by read-only-store.test.ts, as another user: for each line of its input the sessions it finds, the messages of the first, the lines of
// its export, and what comes of a message to it. Arguments: the file, and the id of the user.
import { createInterface } from 'node:readline';
import { isAgentError } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { exportSession, listSessions, resumeSession, sqliteStore } from '../../src/index.ts';

const [path = '', uid = ''] = process.argv.slice(2);
await import('@x/tools'); // what is loaded on first use may lie where that user may not look
if (uid !== '') process.setuid?.(Number(uid));
const store = sqliteStore({ path });
const provider = { type: 'custom', createModel: () => scriptedModel([{ text: 'Done.' }]) } as const;
for await (const _ of createInterface({ input: process.stdin })) console.log(JSON.stringify(await look()));
await store[Symbol.asyncDispose]();

async function look(): Promise<unknown> {
  const { sessions } = await listSessions({ store });
  const sessionId = sessions.at(-1)?.sessionId ?? '';
  const exported = await Array.fromAsync(exportSession(sessionId, { store }));
  const session = await resumeSession({ provider, model: 'm', store, sessionId, cwd: '/' });
  const messages = session.messages.length;
  const sent = await session.send('More.').then(
    () => 'recorded',
    (error: unknown) => (isAgentError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
  await session.close();
  return { sessions: sessions.length, exported: exported.length, messages, sent };
}
