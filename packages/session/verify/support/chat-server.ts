// A host of `useChat`: serves the page and the two routes it asks, and runs the sessions of one file. Arguments: the file, a file that each
// payment is noted in, the address of the model, the page's script, and `asking` or `silent` (the control: approvals are not told).
// Sends its address when it listens.
import { appendFileSync, readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { objectSchema } from '@x/core';
import { createUIMessageStreamResponse, type UIMessage, type UIMessageChunk } from 'ai';
import { Hono } from 'hono';
import {
  createSession,
  listSessions,
  localEngine,
  resumeSession,
  type SessionOptions,
  serveSessions,
  sqliteStore,
} from '../../src/index.ts';
import { approvalsIn, toUIMessageStream, type UIMetadata } from '../../src/ui/index.ts';
import { toolNamed } from '../../test/support/makers.ts';

const [path = '', payments = '', baseUrl = '', script = '', asks] = process.argv.slice(2);
const store = sqliteStore({ path });
const euros = { type: 'integer', description: 'How much.' } as const;
const pay = toolNamed(
  'pay',
  async (input, { callId }) => {
    appendFileSync(payments, `${callId}\n`);
    return `Paid ${(input as { euros: number }).euros} euros.`; // safe: the schema says so
  },
  { inputSchema: objectSchema({ euros }) },
);
const item = { type: 'string', description: 'What.' } as const;
const stock = toolNamed('stock', async () => '7 lamps', { kind: 'readonly', inputSchema: objectSchema({ item }) });
const options: SessionOptions = {
  provider: { type: 'openai-compatible', apiKey: 'key', baseUrl },
  model: 'm',
  tools: [pay, stock],
  allowedTools: ['pay', 'stock'],
  autoApprove: ['stock'],
  alwaysAsk: ['pay'],
  askPolicy: 'wait',
  retryBudgetMs: 0,
};
await serveSessions({ engine: localEngine(), store, lookEveryMs: 20, options: () => options });

const app = new Hono();
app.get('/', async (context) => {
  const session = await createSession({ ...options, store });
  await session.close();
  return context.redirect(`/${session.sessionId}`);
});
app.get('/page.js', (context) => context.body(readFileSync(script), 200, { 'content-type': 'text/javascript' }));
app.get('/:id', (context) => context.html('<!doctype html><div id="root"></div><script src="/page.js"></script>'));
app.post('/api/chat', async (context) => {
  const { id: sessionId, message } = await context.req.json<{ id: string; message: UIMessage<UIMetadata> }>();
  const session = await resumeSession({ ...options, store, sessionId });
  for (const { callId, answer } of approvalsIn(message.parts)) await session.answer(callId, answer);
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const sent = message.role === 'user' ? await session.send(text) : undefined;
  await session.close();
  return told(sessionId, sent ? { messageId: sent.messageId } : { from: message.metadata!.cursor }); // a run that waits has told it
});
app.get('/api/chat/:id/stream', async (context) => {
  const { id } = context.req.param();
  return (await isUnderWay(id)) ? told(id) : context.body(null, 204);
});
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.(`http://127.0.0.1:${port}/`));
process.on('disconnect', () => process.exit());

function told(sessionId: string, where: { readonly messageId?: string; readonly from?: string } = {}): Response {
  const all = toUIMessageStream({ store, sessionId, ...where }) as ReadableStream<UIMessageChunk>; // safe: what the suite is about
  const silence = new TransformStream<UIMessageChunk, UIMessageChunk>({
    transform: (chunk, out) => void (chunk.type === 'tool-approval-request' || out.enqueue(chunk)),
  });
  return createUIMessageStreamResponse({ stream: asks === 'silent' ? all.pipeThrough(silence) : all });
}

async function isUnderWay(sessionId: string): Promise<boolean> {
  if ((await store.inbox(sessionId)).length > 0) return true;
  const { sessions } = await listSessions({ store, state: ['running', 'waiting', 'interrupted'] });
  return sessions.some((one) => one.sessionId === sessionId);
}
