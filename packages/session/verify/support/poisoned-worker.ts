// A worker whose process ends in the midst of poisoned sessions: serves the sessions of one file until nothing is left to do.
// Arguments: the file, a file that each start of the poisonous tool and each attempt is noted in, and `counting` or `not-counting`: then
// nobody can see in the log that a run was taken up again.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, textOf } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { sessionsToRun } from '../../src/engine/sessions-to-run.ts';
import { type EntryBody, localEngine, type SessionStore, serveSessions, sqliteStore } from '../../src/index.ts';
import { toolNamed } from '../../test/support/makers.ts';

const [path = '', noted = '', counting] = process.argv.slice(2);
const sqlite = sqliteStore({ path });
const store: SessionStore = counting === 'counting' ? sqlite : { ...sqlite, append: withoutTakeUps };
const engine = localEngine({ concurrency: 4 });
const kinds = new Map([
  ['kills', () => process.kill(process.pid, 'SIGKILL')],
  ['fills', () => fillMemory()],
]);
const tools = [...kinds].map(([name, end]) =>
  toolNamed(
    name,
    async () => {
      appendFileSync(noted, `${name}\n`);
      end();
      await sleep(60_000);
      return 'survived';
    },
    { kind: 'readonly' },
  ),
);
const work = toolNamed(
  'works',
  async () => {
    await sleep(20);
    return 'worked';
  },
  { kind: 'readonly' },
);
const beforeModelRewriteHistory = async (messages: readonly Message[]) => {
  if (!says(messages, 'breaks')) return messages;
  appendFileSync(noted, 'breaks\n');
  process.kill(process.pid, 'SIGKILL');
  return await new Promise<never>(() => undefined);
};
const model = scriptedModel(({ messages }) => {
  const [name] = ['kills', 'fills', 'works'].filter((one) => says(messages, one));
  return name && messages.at(-1)?.role === 'user' ? { toolCalls: [{ name }] } : { text: 'Done.' };
});
const serving = await serveSessions({
  engine,
  store,
  options: () => ({
    provider: { type: 'custom', createModel: () => model },
    model: 'm',
    tools: [...tools, work],
    handlers: [{ name: 'breaking', beforeModelRewriteHistory }],
    permissionMode: 'bypassPermissions',
  }),
});
while ((await Array.fromAsync(sessionsToRun(store))).length > 0) await sleep(50);
await serving[Symbol.asyncDispose]();
await engine[Symbol.asyncDispose]();
await sqlite[Symbol.asyncDispose]();

function says([first]: readonly Message[], word: string): boolean {
  return first?.role === 'user' && textOf(first) === word;
}

function fillMemory(): void {
  const kept: string[][] = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => `${kept.length} ${index}`));
}

function withoutTakeUps(
  sessionId: string,
  expected: Parameters<SessionStore['append']>[1],
  bodies: readonly EntryBody[],
  consume?: readonly string[],
): Promise<number> {
  const unseen = bodies.map((body) => (body.type === 'run_resumed' ? ({ ...body, type: 'unknown' } as never) : body));
  return sqlite.append(sessionId, expected, unseen, consume);
}
