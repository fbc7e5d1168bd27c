import {
  type AssistantMessage,
  type CallState,
  compacted,
  frozen,
  type Message,
  type RunRecord,
  toolMessage,
  toolUsesOf,
} from '@x/core';

/** What the records of one run come to. */
export interface PastState {
  readonly messages: readonly Message[];
  /** Model replies among the records. */
  readonly turns: number;
  /** Of the last reply; empty once that reply is answered. */
  readonly calls: ReadonlyMap<string, CallState>;
  readonly notes: ReadonlyMap<string, unknown>;
}
interface Folding {
  messages: Message[];
  turns: number;
  readonly calls: Map<string, CallState>;
  readonly notes: Map<string, unknown>;
}

/** The records of one run, behind the messages it has started from. */
export function pastOf(records: readonly RunRecord[], before: readonly Message[]): PastState {
  const past: Folding = { messages: [...before], turns: 0, calls: new Map(), notes: new Map() };
  for (const record of records) applyRecord(past, record);
  return past;
}

function applyRecord(past: Folding, record: RunRecord): void {
  if (record.type === 'message') {
    past.messages.push(frozen(record.message));
    if (record.message.role === 'assistant') past.turns += 1;
  } else if (record.type === 'tool_started') {
    if (past.calls.get(record.callId)?.state !== 'finished') {
      past.calls.set(record.callId, { state: 'started', effect: record.effect });
    }
  } else if (record.type === 'tool_finished') {
    past.calls.set(record.callId, { state: 'finished', result: record.result });
    const reply = past.messages.at(-1);
    if (reply?.role === 'assistant') answerWhenComplete(past, reply);
  } else if (record.type === 'compaction') {
    past.messages = [...compacted(past.messages, record)];
  } else {
    past.notes.set(record.name, record.data);
  }
}

/** Once the last call has its answer, the answers become the tool message; notes about the calls have served their purpose. */
function answerWhenComplete(past: Folding, reply: AssistantMessage): void {
  const uses = toolUsesOf(reply);
  const answers = uses.flatMap(({ id }) => {
    const call = past.calls.get(id);
    return call?.state === 'finished' ? [call.result] : [];
  });
  if (answers.length < uses.length) return;
  past.messages.push(toolMessage(reply, answers));
  past.calls.clear();
  for (const name of past.notes.keys()) {
    if (uses.some(({ id }) => name.endsWith(`:${id}`))) past.notes.delete(name);
  }
}
