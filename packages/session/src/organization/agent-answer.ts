import { type ResultMessage, textOf } from '@x/core';
import { scopeOf } from '../log/fold.ts';
import { readState } from '../log/session-log.ts';
import type { SessionStore } from '../log/session-store.ts';

/** The result of an agent's run, for its creator. */
export interface AgentAnswer {
  /** The same for the same run, so that it is delivered once however often it is sent. */
  readonly id: string;
  readonly text: string;
}

/** Characters of an answer that are sent; the agent's session has it all. */
const MAX_CHARACTERS = 100_000;
/** Entries at the end of a log that are looked at first. */
const TAIL = 16;

/** The answer of a run that has just ended; undefined when there is none: it was stopped, or its end is not in the log. */
export async function answerTo(
  result: ResultMessage,
  { store, sessionId }: { readonly store: SessionStore; readonly sessionId: string },
): Promise<AgentAnswer | undefined> {
  // The end of a run that lost its session is not recorded; the next owner answers.
  if (result.subtype === 'error' && (await readState(store, sessionId)).run) return undefined;
  return answerOfRun(sessionId, result);
}

/** The answer of the last run of a session, from its log: after a crash it may not have been sent. */
export async function lastAnswer(store: SessionStore, sessionId: string): Promise<AgentAnswer | undefined> {
  const state = await readState(store, sessionId);
  if (state.run) return undefined;
  const end = await lastEnd(store, { sessionId, head: state.head });
  const reply = scopeOf(state, []).messages.findLast((message) => message.role === 'assistant');
  return end && answerOfRun(sessionId, { ...end, content: reply ? textOf(reply) : '' });
}

interface End {
  readonly messageId: string;
  readonly subtype: ResultMessage['subtype'];
  readonly content?: string;
  readonly error?: string;
}

function answerOfRun(
  sessionId: string,
  { messageId, subtype, content = '', error = '' }: End,
): AgentAnswer | undefined {
  if (subtype === 'aborted' || subtype === 'waiting') return undefined;
  const said = content.slice(0, MAX_CHARACTERS);
  const id = `answer:${sessionId}:${messageId}`;
  if (subtype === 'success') return { id, text: said === '' ? 'It has ended its task without a word.' : said };
  if (subtype === 'error') return { id, text: `It has failed: ${error.slice(0, MAX_CHARACTERS)}` };
  return { id, text: `It was stopped at its limit of turns, before its task was done. What it said last:\n\n${said}` };
}

async function lastEnd(
  store: SessionStore,
  { sessionId, head }: { readonly sessionId: string; readonly head: number },
): Promise<End | undefined> {
  for (let size = TAIL; ; size *= 8) {
    const after = Math.max(0, head - size);
    let messageId: string | undefined;
    let end: End | undefined;
    for await (const { body } of store.read(sessionId, { after })) {
      if (body.type === 'run_started') messageId = body.messageId;
      if (body.type !== 'run_ended' || messageId === undefined) continue;
      end = { messageId, subtype: body.subtype, ...(body.error ? { error: body.error.message } : {}) };
    }
    if (end || after === 0) return end;
  }
}
