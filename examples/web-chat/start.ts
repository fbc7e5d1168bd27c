// Serves the chat until Ctrl-C. With OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL) it talks to the real service, else to a scripted one on
// this machine. PORT, default 3000; CHAT_DB, default a file in the folder for temporary ones, which the next start goes on with.
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteStore } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { agentOf } from './agent.ts';
import { script } from './script.ts';
import { serveChat } from './serve.ts';

const { stop, ...service } = await serviceOr(script);
const store = sqliteStore({ path: process.env['CHAT_DB'] ?? join(tmpdir(), 'web-chat.db') });
const agent = agentOf(service, {
  async stock(_item, signal) {
    await sleep(3_000, undefined, { signal }); // time to reload the page
    return '7 of them.';
  },
  pay: async (supplier, euros) => `Paid ${euros} euros to ${supplier}.`,
});
const chat = await serveChat({ store, agent }, Number(process.env['PORT'] ?? 3000));
console.log(`Open ${chat.url} in two tabs; Ctrl-C ends it.`);
await once(process, 'SIGINT');
await chat[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();
await stop();
