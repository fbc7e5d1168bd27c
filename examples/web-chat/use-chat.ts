import { listSessions, resumeSession, type SessionOptions, type SessionStore, ValidationError } from '@x/agent-sdk';
import { approvalsIn, toUIMessageStream, type UIMessageStreamOptions } from '@x/agent-sdk/ui';
import { createUIMessageStreamResponse, type UIMessageChunk } from 'ai';
import { Hono } from 'hono';
import { bodyOf, refuseUnknown, textIn } from './guard.ts';

/** Where the sessions are, and the options they have. */
export interface Chat {
  readonly store: SessionStore;
  readonly agent: SessionOptions;
}

/** The routes that `useChat` of `@ai-sdk/react` asks: POST a message or the answers in it, GET the stream again after a reload. */
export function useChatRoutes({ store, agent }: Chat): Hono {
  const app = new Hono();
  app.post('/', async (context) => {
    const body = await bodyOf(context);
    const sessionId = textIn(body, 'id');
    const { role, parts, metadata } = lastIn(body['messages']);
    const session = await resumeSession({ ...agent, store, sessionId });
    try {
      for (const { callId, answer } of approvalsIn(parts)) await session.answer(callId, answer);
      if (role !== 'user') return await told({ store, sessionId, ...(metadata ? { from: metadata.cursor } : {}) });
      const { messageId } = await session.send(parts.map(({ text = '' }) => text).join(''));
      return await told({ store, sessionId, messageId });
    } finally {
      await session.close();
    }
  });
  app.get('/:id/stream', async (context) => {
    const sessionId = context.req.param('id');
    return (await isUnderWay(sessionId)) ? await told({ store, sessionId }) : context.body(null, 204);
  });
  return app;

  async function isUnderWay(sessionId: string): Promise<boolean> {
    if ((await store.inbox(sessionId)).length > 0) return true; // no worker has taken it yet
    const { sessions } = await listSessions({ store, state: ['running', 'waiting', 'interrupted'], limit: 1000 });
    return sessions.some((one) => one.sessionId === sessionId);
  }
}

async function told(options: UIMessageStreamOptions): Promise<Response> {
  const { messageId: _, ...where } = options;
  await refuseUnknown(where);
  const stream = toUIMessageStream(options) as ReadableStream<UIMessageChunk>; // safe: those that are made here are among them
  return createUIMessageStreamResponse({ stream, keepAliveMs: 15_000 });
}

interface Last {
  readonly role: unknown;
  readonly parts: readonly { readonly text?: string }[];
  readonly metadata?: { readonly cursor: string };
}

/** @throws ValidationError */
function lastIn(messages: unknown): Last {
  const last = Array.isArray(messages) ? (messages.at(-1) as Partial<Last> | undefined) : undefined; // safe: looked at below
  const { role, parts, metadata } = last ?? {};
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'object' && part !== null))
    throw new ValidationError('messages must end with a message that has parts');
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  if (!parts.every(({ text }) => isText(text)) || !isText(metadata?.cursor))
    throw new ValidationError('the text of a part and the cursor must be texts');
  return { role, parts, ...(metadata?.cursor ? { metadata } : {}) };
}
