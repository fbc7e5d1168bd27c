import { type Message, type RunRecord, SessionError, toolUsesOf, type UserMessage, ValidationError } from '@x/core';
import { applyRecord, emptyScope, present } from '@x/core/internal';
import type { EntryBody } from './entry.ts';
import { type SessionState, scopeOf } from './fold.ts';
import { replayed } from './fork-point.ts';
import type { SessionStore } from './session-store.ts';

/** The way back to before a message of the user. */
export interface RewindPoint {
  readonly message: UserMessage;
  /** Messages that go out of the conversation. */
  readonly removed: number;
  readonly entry: EntryBody;
}

/**
 * The way back from `now` to before a user message, also one that a compaction or an earlier rewind has taken out of the conversation.
 * @throws SessionError `MESSAGE_NOT_FOUND`, `LOG_DAMAGED`, `LOG_TOO_NEW`; ValidationError for a message that is not the user's
 */
export async function pointBefore(
  store: SessionStore,
  { sessionId, messageId, now }: { readonly sessionId: string; readonly messageId: string; readonly now: SessionState },
): Promise<RewindPoint> {
  const { before, message } = await recorded(store, sessionId, messageId);
  const current = scopeOf(now, []).messages;
  let kept = 0;
  while (kept < before.length && current[kept]?.id === before[kept]!.id) kept += 1;
  const restored = before.slice(kept).flatMap(recordsOf);
  const entry: EntryBody = {
    type: 'conversation_rewound',
    messageId,
    kept,
    ...present({ restored: restored.length > 0 ? restored : undefined }),
  };
  return { message, removed: current.length - kept, entry };
}

/** A user message, and the conversation before it as it was then. */
async function recorded(
  store: SessionStore,
  sessionId: string,
  messageId: string,
): Promise<{ readonly before: readonly Message[]; readonly message: UserMessage }> {
  let seen = 0;
  for await (const state of replayed(store, sessionId)) {
    const { messages } = scopeOf(state, []);
    const last = messages.at(-1);
    const isNew = messages.length > seen; // a summary is in the place of others
    seen = messages.length;
    if (!isNew || last?.id !== messageId) continue;
    if (last.role === 'user') return { before: messages.slice(0, -1), message: last };
    const asked = messages.findLast(({ role }) => role === 'user');
    throw new ValidationError(
      `messageId: ${messageId} is a message of the role ${last.role}; the conversation is rewound to a message of the user, such as ${asked?.id}`,
      'messageId',
    );
  }
  throw new SessionError(
    `Session ${sessionId} has no message ${messageId} of the user; the ids are in session.messages, and those of summaries and of messages that still wait to be delivered do not count`,
    { code: 'MESSAGE_NOT_FOUND' },
  );
}

/** Records that make the message again. */
function recordsOf(message: Message): RunRecord[] {
  if (message.role !== 'tool') return [{ type: 'message', message }];
  return message.content.map(({ toolUseId, output, isError, images, files }): RunRecord => {
    return {
      type: 'tool_finished',
      callId: toolUseId,
      result: { output, isError, ...present({ images, files }) },
      durationMs: 0,
    };
  });
}

/** True for the entry of a rewind, from outside, behind which a call of the conversation has no answer, or a run is cut. */
export function isBroken(
  state: SessionState,
  { kept, restored = [] }: Extract<EntryBody, { type: 'conversation_rewound' }>,
): boolean {
  const own = emptyScope(scopeOf(state, []).messages.slice(0, kept));
  const last = own.messages.at(-1);
  if (state.run || (last?.role === 'assistant' && toolUsesOf(last).length > 0)) return true;
  for (const record of restored) {
    if (record.type === 'message' && own.calls) return true;
    applyRecord(own, record);
  }
  return own.calls !== undefined;
}
