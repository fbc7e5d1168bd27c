import type { ModelRequest } from '@x/core';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import {
  type CustomProvider,
  createSession,
  type EntryBody,
  memoryStore,
  type SessionOptions,
  type SessionStore,
} from '../../src/index.ts';
import { say } from './makers.ts';
import { watched } from './watched.ts';

/** Whether a summary is asked for. */
export const isSummary = ({ instruction }: ModelRequest) => instruction.startsWith('You condense');
/** What a summary uses. */
export const usage = { inputTokens: 70, outputTokens: 7, totalTokens: 77 };

interface Parts extends Partial<SessionOptions> {
  /** What happens while the summary is written. */
  readonly summary?: () => ScriptedReply;
}

/** A session with three short turns behind it, and what happens when it is asked for a summary. */
export async function talked({ summary = () => ({ text: 'The gist.', usage }), ...options }: Parts = {}) {
  const { handler, events: seen } = watched();
  const requests: ModelRequest[] = [];
  const model = scriptedModel((request) => {
    requests.push(request);
    return isSummary(request) ? summary() : { text: 'Yes.' };
  });
  const provider: CustomProvider = { type: 'custom', createModel: () => model };
  const store: SessionStore = options.store ?? memoryStore();
  const given = { provider, model: 'm', allowedTools: [], handlers: [handler], ...options, store };
  const session = await createSession(given);
  for (const text of ['One?', 'Two?', 'Three?']) await say(session, text);
  requests.length = 0;
  seen.length = 0;
  return { session, requests, seen, store, given };
}

/** The last line of each message, as `role: text`. */
export const linesOf = (messages: readonly { role: string; content: unknown }[]) =>
  messages.map(({ role, content }) => `${role}: ${(content as { text: string }[])[0]?.text.split('\n').at(-1)}`);
/** What came of each command, as its log has it. */
export const commandNotes = (bodies: readonly EntryBody[]) =>
  bodies.flatMap((body) => {
    if (body.type !== 'record' || body.record.type !== 'note' || body.record.name !== 'command') return [];
    return [body.record.data as { messageId: string; text: string; outcome: string }];
  });
/** What is left of the conversation once it was compacted. */
export const COMPACTED = ['user: The gist.', 'user: Three?', 'assistant: Yes.'];
