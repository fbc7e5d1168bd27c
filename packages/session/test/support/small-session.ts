import type { TokenUsage } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import {
  type CustomProvider,
  createSession,
  memoryStore,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import { cast } from './agent-scripts.ts';
import { toolNamed } from './makers.ts';
import { watched } from './watched.ts';

export const counts = (inputTokens: number, outputTokens: number): TokenUsage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});
/** Small enough that one long output fills it. */
const WINDOW = 2_000;
const long = 'word '.repeat(400);
/** The tool of a small session, and a reply that calls it. */
export const look = toolNamed('look', async () => long, { kind: 'readonly' });
export const looks = (inputTokens = 100): ScriptedReply => ({
  toolCalls: [{ name: 'look' }],
  usage: counts(inputTokens, 1),
});

/** A session whose model has a small window, everything its observers are told, and what the model was asked. */
export async function smallSession(
  parts: Readonly<Record<string, readonly ScriptedReply[]>>,
  options: Partial<SessionOptions> & { summary?: ScriptedReply } = {},
) {
  const { summary = { usage: counts(7, 3) }, ...more } = options;
  const { handler, events: seen } = watched();
  const model = scriptedModel(cast(parts, summary), { name: 'main', contextWindow: WINDOW });
  const provider: CustomProvider = { type: 'custom', createModel: () => model };
  const store: SessionStore = more.store ?? memoryStore();
  const session = await createSession({
    provider,
    model: 'main',
    store,
    tools: [look],
    allowedTools: ['look', 'Task'],
    ...more,
    handlers: [handler],
  });
  return { session, model, seen, store };
}
