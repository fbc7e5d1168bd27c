// A worker whose replies come in pieces. Its argument is JSON, a `LiveWorkerOptions`. SIGTERM: it leaves.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, type ModelRequest, type ModelStream, objectSchema } from '@x/core';
import { scriptedModel } from '@x/core/testing';
import { localEngine, serveSessions } from '../../src/index.ts';
import { postgresStore } from '../../src/postgres/index.ts';
import { withLease } from './store-wrappers.ts';

export interface LiveWorkerOptions {
  /** Of the database. */
  readonly url: string;
  /** For live events; default `url`. */
  readonly liveUrl?: string;
  readonly leaseMs?: number;
  /** A session that somebody is known to listen to before it serves; replies then go on when the parent says that it has seen all pieces so far. */
  readonly gatedFor?: string;
}
/** What it tells its parent: that it serves, or a warning of its process. */
export type LiveWorkerNote = 'serving' | { readonly warning: string };

const { url, liveUrl = url, leaseMs = 30_000, gatedFor }: LiveWorkerOptions = JSON.parse(process.argv[2] ?? '{}');
process.on('warning', ({ message }) => process.send?.({ warning: message }));
let [made, seen] = [0, 0];
let more = Promise.withResolvers<void>();
process.on('message', (count: number) => {
  seen = count;
  more.resolve();
  more = Promise.withResolvers();
});

const model = scriptedModel(({ instruction, messages }) => {
  if (instruction.includes('inner agent'))
    return messages.some(({ role }) => role === 'tool')
      ? { text: ['I ', 'have ', 'looked ', LONG, ' and ', LONG] }
      : { text: ['I ', 'look.'], toolCalls: [{ id: crypto.randomUUID(), name: 'work' }] };
  if (messages.at(-1)?.role === 'tool') return { text: ['All ', 'that ', 'is ', 'said.'], thinking: ['Hm', 'm.'] };
  const task = () => ({
    id: crypto.randomUUID(),
    name: 'Task',
    input: { subagent_type: 'inner', description: 'Look.', prompt: 'Look.' },
  });
  return { text: ['Two ', 'are ', 'to ', 'look.'], toolCalls: [task(), task()] };
});
/** Has several parts, and characters of all lengths. */
const LONG = 'x\u00e9\u20ac\u{1f600}'.repeat(1_000);

async function* stream(request: ModelRequest): ModelStream {
  const events = model.stream(request);
  for (;;) {
    const step = await events.next();
    if (step.done) return step.value;
    await sleep(Math.random() * 40, undefined, { signal: request.signal });
    yield step.value;
    if (step.value.type === 'content') made += 1;
    while (gatedFor !== undefined && seen < made) await more.promise;
  }
}

const work = defineTool({
  name: 'work',
  description: 'Works.',
  kind: 'readonly',
  effect: 'pure',
  inputSchema: objectSchema({}),
  async *execute(_, { signal }) {
    for (const bit of ['bit ', 'by ', 'bit']) {
      await sleep(Math.random() * 40, undefined, { signal });
      yield bit;
    }
  },
});
const engine = localEngine({ concurrency: 3, retryDelay: 10, maxRetryDelay: 50 });
const store = withLease(
  postgresStore({ connectionString: url, connections: 4, liveConnectionString: liveUrl }),
  leaseMs,
);
store.live?.open();
while (gatedFor !== undefined && !store.live?.isHeard(gatedFor)) await sleep(10);
const serving = await serveSessions({
  engine,
  store,
  lookEveryMs: 20,
  options: () => ({
    provider: { type: 'custom', createModel: () => ({ ...model, stream }) },
    model: 'm',
    agents: [{ name: 'inner', description: 'Looks.', systemPrompt: 'You are the inner agent.' }],
    tools: [work],
    permissionMode: 'bypassPermissions',
  }),
  onError: () => undefined, // a session that another has, a server that is cut off: it comes back
});
process.once('SIGTERM', () => void leave());
process.send?.('serving');

async function leave(): Promise<void> {
  for (const one of [serving, engine, store]) await one[Symbol.asyncDispose]();
  process.disconnect();
}
