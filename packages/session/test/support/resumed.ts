import type { Tool, ToolEffect, ToolResult } from '@x/core';
import type { Script, ScriptedReply } from '@x/core/testing';
import {
  type EntryBody,
  memoryStore,
  type ResumeOptions,
  resumeSession,
  type SendOptions,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import { echoTool, scriptedProvider, scriptedSession, toolNamed } from './makers.ts';

/** The same store, whose leases are over at once: what a crashed owner leaves after half a minute. */
export function expiring(store: SessionStore): SessionStore {
  return { ...store, acquire: (sessionId, owner) => store.acquire(sessionId, owner, -1) };
}

export async function resumed(
  store: SessionStore,
  sessionId: string,
  script: Script,
  options: Partial<ResumeOptions> = {},
) {
  const { provider, models } = scriptedProvider(script);
  const session = await resumeSession({ provider, model: 'm', store, sessionId, ...options });
  return { session, model: models[0]! };
}

/** A session whose process ended while `tool` ran: the call has started, and nothing of it was recorded since. */
export async function abandoned(effect: ToolEffect, options: Partial<SessionOptions> = {}, sending: SendOptions = {}) {
  const store = expiring(memoryStore());
  const keys: string[] = [];
  let isFirst = true;
  const tool = toolNamed(
    'work',
    async (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (isFirst) await new Promise(() => undefined);
      return 'worked';
    },
    { effect, kind: 'readonly', parallelSafe: true },
  );
  const toolCalls = [
    { id: 'w', name: 'work' },
    { id: 'e', name: 'echo', input: { text: 'a' } },
  ];
  const { session } = await scriptedSession([{ toolCalls }], { tools: [tool, echoTool()], store, ...options });
  await session.send('Begin.', sending);
  for await (const event of hanging(session.stream())) if (event.type === 'tool_result') break;
  isFirst = false;
  return { store, sessionId: session.sessionId, keys, tools: [tool, echoTool()] };
}

/** A session whose process ended while the tool ran that these replies ask for: it has started, and nothing was recorded since. */
export async function abandonedAt(
  replies: ScriptedReply | ScriptedReply[],
  tool: Tool,
  options: Partial<SessionOptions>,
  sending: SendOptions = {},
) {
  const { store = expiring(memoryStore()), allowedTools = [tool.name] } = options;
  const started = Promise.withResolvers<void>();
  const stuck: Tool = {
    ...tool,
    async *execute() {
      started.resolve();
      return await new Promise<ToolResult>(() => undefined);
    },
  };
  const { session } = await scriptedSession([replies].flat(), { ...options, tools: [stuck], store, allowedTools });
  await session.send('Begin.', sending);
  void Array.fromAsync(hanging(session.stream()));
  await started.promise;
  return { store, sessionId: session.sessionId };
}

/** The stream without its `return()`: leaving it is what a killed process does. */
function hanging<T>(stream: AsyncGenerator<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) };
}

export const finishedIn = (log: readonly EntryBody[]) =>
  log.flatMap((body) => (body.type === 'record' && body.record.type === 'tool_finished' ? [body.record] : []));
