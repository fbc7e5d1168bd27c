// Drives the chat as browsers would, over HTTP, and ends: a tab that is loaded again in the middle of a run, a second tab, an approval, what the
// server refuses, and `useChat`. `npm start` serves the page itself until Ctrl-C.
import { request } from 'node:http';
import { type ISession, memoryStore, type SessionEvent } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { agentOf } from './agent.ts';
import { eventSource, type Received } from './event-source.ts';
import { script } from './script.ts';
import { serveChat } from './serve.ts';

const { stop, ...service } = await serviceOr(script);
const store = memoryStore();
const counted = Promise.withResolvers<string>();
const paid: number[] = [];
const agent = agentOf(service, {
  stock: () => counted.promise, // until a page was loaded again
  pay: async (supplier, euros) => `Paid ${paid.push(euros) && euros} euros to ${supplier}.`,
});
const chat = await serveChat({ store, agent }, 0);
try {
  const { sessionId } = (await post('/sessions', {})) as Pick<ISession, 'sessionId'>;
  await oneRun(`/sessions/${sessionId}`);
  await refusals(`/sessions/${sessionId}`);
  await withUseChat(sessionId);
  while (chat.readers.size > 0) await new Promise((resolve) => setImmediate(resolve));
  console.log('\nAll tabs are closed, and nobody reads.');
  process.exitCode = paid.length === 1 ? 0 : 1;
} finally {
  await chat[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await stop();
}

async function oneRun(session: string): Promise<void> {
  console.log('A tab follows its session and sends a message:');
  const first = eventSource(`${chat.url}${session}/events`);
  await post(`${session}/messages`, { text: 'Order lamps, <b>please</b>.' });
  const seen = await readUntil(first, 'tool_started');
  await first.return();
  console.log('It is loaded again while the tool runs, and sees everything once more:');
  const again = eventSource(`${chat.url}${session}/events`);
  await readUntil(again, 'tool_started');
  counted.resolve('7 of them.');
  const question = (await readUntil(again, 'question')).at(-1)!.told.event; // read up to it
  await readUntil(again, 'run_waiting');

  console.log('Another tab, whose connection was cut, comes again with its Last-Event-ID:');
  const back = eventSource(`${chat.url}${session}/events`, seen.at(-1)!.id); // it has seen some
  const missed = await readUntil(back, 'run_waiting');
  if (question.type !== 'question') throw new Error('Nothing was asked');
  const { id: callId, key } = question;
  await post(`${session}/answers`, { callId, key, behavior: 'allow' });
  const [here, there] = await Promise.all([readUntil(again, 'result'), readUntil(back, 'result', { isSilent: true })]);
  const isSame = recordsOf(here).join() === recordsOf(there).join();
  console.log(`Both tabs have seen the same: ${isSame}; the second had missed ${recordsOf(missed).length} records.`);
  console.log(await statusOf(`${session}/answers`, { callId, key, behavior: 'allow' }), 'for a second answer');
}

async function refusals(session: string): Promise<void> {
  console.log('\nWhat it refuses:');
  const text = 'Hello.';
  const tries: readonly (readonly [what: string, path: string, body: object, headers?: Record<string, string>])[] = [
    ['a page of another site', `${session}/messages`, { text }, { origin: 'https://example.org' }],
    ['another name for this machine', `${session}/messages`, { text }, { host: 'example.org' }],
    ['a message of 1 MB', `${session}/messages`, { text: 'x'.repeat(1e6) }],
    ['a message without text', `${session}/messages`, {}],
    ['an id that is none', '/sessions/..%2f..%2fetc/messages', { text }],
    ['an unknown session', '/sessions/unknown/messages', { text }],
    ['an unknown question', `${session}/answers`, { callId: 'c', key: 'k', behavior: 'allow' }],
  ];
  for (const [what, path, body, headers] of tries) console.log(await statusOf(path, body, headers), 'for', what);
  const { status } = await fetch(`${chat.url}${session}/events`, { headers: { 'last-event-id': '1.00000000' } });
  console.log(status, 'for a place in another session');
}

async function withUseChat(id: string): Promise<void> {
  console.log('\nuseChat sends a message, and reads the chunks of its stream:');
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }];
  const answer = await fetch(`${chat.url}/api/chat`, { method: 'POST', body: JSON.stringify({ id, messages }) });
  const chunks = (await answer.text()).matchAll(/"type":"([a-z-]+)"/g);
  console.log(` ${[...new Set([...chunks].map(([, type]) => type))].join(' ')}`);
  const { status } = await fetch(`${chat.url}/api/chat/${id}/stream`);
  console.log(status, 'after a reload, when nothing runs');
}

/** Reads until an event of this type; prints what a person would see. */
async function readUntil(
  tab: AsyncGenerator<Received, void, void>,
  type: SessionEvent['event']['type'],
  { isSilent = false } = {},
): Promise<Received[]> {
  const seen: Received[] = [];
  for (let next = await tab.next(); !next.done; next = await tab.next()) {
    seen.push(next.value);
    const line = lineOf(next.value.told);
    if (line && !isSilent) console.log(`  ${line}`);
    if (next.value.told.event.type !== type) continue;
    if (type === 'result') await tab.return();
    return seen;
  }
  throw new Error(`The events have ended before ${type}`);
}

function lineOf({ event }: SessionEvent): string | undefined {
  if (event.type === 'user_message') return `user: ${event.content}`;
  if (event.type === 'tool_result') return `${event.name}: ${event.output}`;
  if (event.type === 'question') return `${event.toolName} ${JSON.stringify(event.input)}? [allow] [deny]`;
  if (event.type === 'result') return `${event.subtype}: ${event.content ?? ''}`;
  return event.type === 'tool_started' ? 'a tool runs' : undefined;
}

/** The records among what was seen: each reader is told each of them once; pieces of a text are live, and may be missed. */
function recordsOf(seen: readonly Received[]): string[] {
  const records = ['user_message', 'message', 'question', 'tool_started', 'tool_result', 'run_waiting', 'result'];
  return seen.flatMap(({ id, told }) => (records.includes(told.event.type) ? [`${id} ${told.event.type}`] : []));
}

async function post(path: string, body: object): Promise<unknown> {
  const answer = await fetch(chat.url + path, { method: 'POST', body: JSON.stringify(body) });
  return answer.status === 204 ? undefined : await answer.json();
}

/** The status of the answer and the code in it; with headers that `fetch` does not let a program set. */
async function statusOf(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const asked = request(chat.url + path, { method: 'POST', headers, agent: false }, (answer) => {
      answer.toArray().then((pieces) => {
        const { error } = JSON.parse(Buffer.concat(pieces).toString()) as { error: { code: string } };
        resolve(`${answer.statusCode} ${error.code}`);
      }, reject);
    });
    asked.on('error', reject).end(JSON.stringify(body));
  });
}
