import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  answerQuestion,
  createSession,
  resumeSession,
  ValidationError,
  type WatchOptions,
  watchSession,
} from '@x/agent-sdk';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { bodyOf, errorAnswer, MAX_BODY_BYTES, ownPagesOnly, refuseUnknown, textIn } from './guard.ts';
import { type Chat, useChatRoutes } from './use-chat.ts';

export interface ChatOptions extends Chat {
  /** Those who follow at present; each is taken out when it has left and freed what it held. */
  readonly readers: Set<Promise<void>>;
}

/** Milliseconds between two signs of life: a connection that was cut is noticed by then. */
const ALIVE_MS = 15_000;
/** Ids of sessions, so that nothing else gets anywhere. */
const ID = ':id{[A-Za-z0-9_-]{1,128}}';
const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');

/** The routes of the page and of `useChat`. It sends, answers and follows; a worker with the same store runs the sessions. */
export function chatApp(chat: ChatOptions): Hono {
  const { store, agent } = chat;
  const app = new Hono();
  app.onError(errorAnswer);
  app.notFound((context) => context.json({ error: { code: 'NOT_FOUND', message: 'There is nothing here' } }, 404));
  app.use(ownPagesOnly());
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge }));

  app.get('/', (context) => context.html(page, 200, { 'content-security-policy': policyOf(page) }));
  app.post('/sessions', async (context) => {
    const session = await createSession({ ...agent, store });
    await session.close();
    return context.json({ sessionId: session.sessionId }, 201);
  });
  app.post(`/sessions/${ID}/messages`, async (context) => {
    const text = textIn(await bodyOf(context), 'text');
    const session = await resumeSession({ ...agent, store, sessionId: context.req.param('id') });
    const { messageId } = await session.send(text);
    await session.close();
    return context.json({ messageId }, 202);
  });
  app.post(`/sessions/${ID}/answers`, async (context) => {
    const body = await bodyOf(context);
    const [callId, key, behavior] = [textIn(body, 'callId'), textIn(body, 'key'), textIn(body, 'behavior')];
    if (behavior !== 'allow' && behavior !== 'deny') throw new ValidationError('behavior must be one of: allow, deny');
    await answerQuestion({ store, sessionId: context.req.param('id'), callId, answer: { behavior, key } });
    return context.body(null, 204);
  });
  app.get(`/sessions/${ID}/events`, async (context) => {
    const from = context.req.header('last-event-id'); // of a browser that has lost its connection
    const where = { store, sessionId: context.req.param('id'), ...(from ? { from } : {}) };
    await refuseUnknown(where);
    return streamSSE(context, async (stream) => {
      const reading = tell(stream, where);
      chat.readers.add(reading);
      await reading.finally(() => chat.readers.delete(reading));
    });
  });
  app.route('/api/chat', useChatRoutes(chat));
  return app;
}

/** Tells the events until the reader has left; the id of each is where a browser goes on that has lost its connection. */
async function tell(stream: SSEStreamingApi, where: WatchOptions): Promise<void> {
  const left = new AbortController();
  stream.onAbort(() => left.abort());
  const alive = setInterval(() => void stream.write(': alive\n\n'), ALIVE_MS);
  try {
    for await (const event of watchSession({ ...where, signal: left.signal }))
      await stream.writeSSE({ id: event.cursor, data: JSON.stringify(event) });
  } finally {
    clearInterval(alive);
  }
}

function tooLarge(): never {
  throw new HTTPException(413, { message: `A request has at most ${MAX_BODY_BYTES} bytes` });
}

/** Nothing runs in the page but its own script, and it speaks to nobody else. */
function policyOf(html: string): string {
  const [, code = ''] = /<script>(.*)<\/script>/s.exec(html) ?? [];
  const hash = createHash('sha256').update(code).digest('base64');
  return `default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; frame-ancestors 'none'`;
}
