import type { Script } from '@x/core/testing';
import {
  createSession,
  localEngine,
  type RunEngine,
  type ServeSessionsOptions,
  type SessionStore,
  serveSessions,
} from '../../src/index.ts';
import { bodiesOf, scriptedProvider } from './makers.ts';

/** Says how many messages it was shown. */
export const answering: Script = ({ messages }) => ({ text: `Answer ${messages.length}.` });

/** A store with its engine and somebody who serves; `idle` resolves when nothing was asked for any more. */
export async function served(
  store: SessionStore,
  options: Partial<ServeSessionsOptions> = {},
  script: Script = answering,
) {
  const engine = counted(localEngine({ retryDelay: 1, maxRetryDelay: 2 }));
  const { provider, models } = scriptedProvider(script);
  const errors: unknown[] = [];
  const serving = await serveSessions({
    engine,
    store,
    options: () => ({ provider, model: 'm', allowedTools: [] }),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { engine, serving, errors, models, [Symbol.asyncDispose]: () => closed(serving, engine) };
}

async function closed(...all: readonly AsyncDisposable[]): Promise<void> {
  for (const one of all) await one[Symbol.asyncDispose]();
}

/** The engine, and a promise of the moment in which everything that was asked for is done. */
function counted(engine: RunEngine): RunEngine & { idle(): Promise<void>; readonly asked: string[] } {
  const open = new Set<string>();
  const asked: string[] = [];
  let tell = Promise.withResolvers<void>();
  return {
    asked,
    submit: async (sessionId) => {
      asked.push(sessionId);
      open.add(sessionId);
      await engine.submit(sessionId);
    },
    serve: (work) =>
      engine.serve(async (sessionId, signal) => {
        await work(sessionId, signal);
        open.delete(sessionId);
        tell.resolve();
        tell = Promise.withResolvers();
      }),
    async idle() {
      while (open.size > 0) await tell.promise;
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** The id of a session in which nothing was said. */
export async function newSession(store: SessionStore): Promise<string> {
  const { provider } = scriptedProvider([]);
  const session = await createSession({ provider, model: 'm', store });
  await session.close();
  return session.sessionId;
}

/** Keeps a message for the session, as `send()` does elsewhere; resolves to its id. */
export async function sendTo(store: SessionStore, sessionId: string, text: string): Promise<string> {
  const message = { id: crypto.randomUUID(), createdAt: new Date().toISOString(), role: 'user' as const };
  await store.enqueue(sessionId, { message: { ...message, content: [{ type: 'text', text }] }, priority: 'next' });
  return message.id;
}

/** What the log holds, in short. */
export async function linesOf(store: SessionStore, sessionId: string): Promise<string[]> {
  return (await bodiesOf(store, sessionId)).flatMap((body) => {
    if (body.type === 'run_ended') return [`ended: ${body.subtype}`];
    if (body.type !== 'record' || body.record.type !== 'message') return [];
    return [body.record.message.role];
  });
}
