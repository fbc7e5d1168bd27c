// A help desk: questions are sent in one place, a worker answers them in the background, and a second reader finds the answers in the log.
// With OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL) it talks to the real service, else to a scripted one on this machine.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSession,
  defineTool,
  localEngine,
  memoryStore,
  objectSchema,
  type RunEngine,
  resumeSession,
  serveSessions,
  textOf,
} from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const { provider, model, stop } = await serviceOr(script);
const store = memoryStore();

/** The warehouse is slow, as long as `slow` is set. */
let slow: { started(): void } | undefined;
const lookUp = defineTool({
  name: 'look_up',
  description: 'Where an order is.',
  kind: 'readonly',
  inputSchema: objectSchema({ order: { type: 'string', description: 'Its number.' } }),
  execute: async ({ order }, { signal }) => {
    slow?.started();
    if (slow) await sleep(60_000, undefined, { signal });
    return Number(order) % 2 === 0 ? 'on its way' : 'delivered';
  },
});
const options = { provider, model, tools: [lookUp], allowedTools: ['look_up'] };

/** Resolves when a run of each of these sessions has ended. */
let ended = new Map<string, () => void>();

try {
  const engine = localEngine({ concurrency: 4 });
  const worker = await startWorker(engine);
  const customers = await Promise.all(['Anna', 'Ben', 'Cleo'].map(newCustomer));

  console.log('Three questions are sent; the sender waits for nobody.');
  const first = runsOf(customers);
  for (const [index, sessionId] of customers.entries()) await ask(sessionId, `Where is order ${index + 1}?`, engine);
  await first;
  for (const sessionId of customers) await printAnswers(sessionId);

  console.log('\nA worker stops in the middle of a run. It leaves the run where it is.');
  const [anna = ''] = customers;
  const begun = Promise.withResolvers<void>();
  slow = { started: begun.resolve };
  await ask(anna, 'And order 8?', engine);
  await begun.promise;
  await worker[Symbol.asyncDispose]();
  await printAnswers(anna);

  console.log('\nThe engine is closed too, and its asks are gone. Ben sends a message that nobody is asked to answer.');
  await engine[Symbol.asyncDispose]();
  const [, ben = ''] = customers;
  await ask(ben, 'And order 5?');

  console.log('\nAnother worker starts. It finds both in the store.');
  slow = undefined;
  const both = runsOf([anna, ben]);
  const next = localEngine();
  await startWorker(next);
  await both;
  for (const sessionId of [anna, ben]) await printAnswers(sessionId);
  await next[Symbol.asyncDispose]();
} finally {
  await store[Symbol.asyncDispose]();
  await stop();
}

/** A worker: all it needs of a session is its id. */
async function startWorker(engine: RunEngine): Promise<AsyncDisposable> {
  return await serveSessions({
    engine,
    store,
    options: () => options,
    onEvent: (event, sessionId) => {
      if (event.type === 'result') ended.get(sessionId)?.();
    },
    onError: (error, sessionId) => console.error(`${sessionId} comes back later:`, error),
  });
}

async function newCustomer(name: string): Promise<string> {
  const session = await createSession({ ...options, store, systemPrompt: `You talk to ${name}.` });
  await session.close();
  return session.sessionId;
}

/** Sends, and asks for a run where there is somebody to ask. The message is durable before anybody is asked. */
async function ask(sessionId: string, question: string, engine?: RunEngine): Promise<void> {
  const session = await resumeSession({ ...options, sessionId, store });
  await session.send(question);
  await session.close();
  await engine?.submit(sessionId);
}

/** What a reader sees who has nothing to do with the worker. */
async function printAnswers(sessionId: string): Promise<void> {
  const session = await resumeSession({ ...options, sessionId, store });
  const said = session.messages.flatMap((message) => (message.role === 'tool' ? [] : [textOf(message).trim()]));
  console.log(`  ${said.join(' | ')}`);
  await session.close();
}

async function runsOf(sessions: readonly string[]): Promise<void> {
  const runs = sessions.map((sessionId) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { sessionId, promise, resolve };
  });
  ended = new Map(runs.map(({ sessionId, resolve }) => [sessionId, resolve]));
  await Promise.all(runs.map(({ promise }) => promise));
}
