import { compacted } from './compacted.ts';
import { frozen } from './frozen.ts';
import type { CallState, RunRecord } from './journal.ts';
import { type AssistantMessage, type Message, toolMessage, toolUsesOf } from './message.ts';

/** The folded records of one agent: its messages, and the calls of its last reply while one is unanswered. */
export interface ScopeState {
  messages: Message[];
  /** Calls of the last reply; present until that reply is completely answered. */
  calls?: Map<string, KnownCall>;
  /** Model replies among the records. */
  turns: number;
  notes: Map<string, unknown>;
}

/** A started call, the number of the run's owners that have started it, and the last of them. */
type StartedCall = Extract<CallState, { state: 'started' }> & {
  readonly attempts: number;
  readonly owner: number;
  readonly mark?: string;
};
export type KnownCall = Exclude<CallState, { state: 'started' }> | StartedCall;

/** A scope without records, after `messages`. */
export function emptyScope(messages: readonly Message[] = []): ScopeState {
  return { messages: [...messages], turns: 0, notes: new Map() };
}

/**
 * Folds one record into `scope`. Shared by all journals, so that a run continues the same way wherever its records were kept: starts and
 * results without an unanswered reply stay in the journal and out of the view, and a start after its result changes nothing. `owner` is the
 * present owner of the run: 1, 2, 3, ...
 */
export function applyRecord(scope: ScopeState, record: RunRecord, owner = 1): void {
  if (record.type === 'message') {
    const { message } = record;
    scope.messages.push(frozen(message));
    if (message.role === 'assistant') applyReply(scope, message);
  } else if (record.type === 'tool_started') {
    startCall(scope, record, owner);
  } else if (record.type === 'tool_finished') {
    if (!scope.calls) return;
    scope.calls.set(record.callId, { state: 'finished', result: frozen(record.result) });
    answerWhenComplete(scope);
  } else if (record.type === 'compaction') {
    scope.messages = [...compacted(scope.messages, record)];
  } else if (record.type === 'note') {
    scope.notes.set(record.name, record.data);
  }
}

/** The call's own id, or a fresh one when it is empty or used: 37 characters, as some services accept at most 40. */
export function unusedCallId(id: string, isUsed: (id: string) => boolean): string {
  return id === '' || isUsed(id) ? `call_${crypto.randomUUID().replaceAll('-', '')}` : id;
}

function applyReply(scope: ScopeState, reply: AssistantMessage): void {
  scope.turns += 1;
  if (toolUsesOf(reply).length > 0) scope.calls = new Map();
}

/** Counts one attempt per owner, even if a handler retries and the owner starts a call several times. */
function startCall(
  { calls }: ScopeState,
  { callId, effect, mark }: Extract<RunRecord, { type: 'tool_started' }>,
  owner: number,
): void {
  const before = calls?.get(callId);
  if (before?.state === 'finished') return;
  const attempts = (before?.attempts ?? 0) + (before?.owner === owner ? 0 : 1);
  calls?.set(callId, { state: 'started', effect, attempts, owner, ...(mark === undefined ? {} : { mark }) });
}

/** Once the last call is answered, adds the tool message with the answers, in the order of the calls. */
function answerWhenComplete(scope: ScopeState): void {
  const reply = scope.messages.at(-1);
  if (reply?.role !== 'assistant') return;
  const { calls } = scope;
  const uses = toolUsesOf(reply);
  const answers = [];
  // From the end: calls mostly finish in order, and this is checked after each of them.
  for (let index = uses.length - 1; index >= 0; index--) {
    const call = calls?.get(uses[index]!.id);
    if (call?.state !== 'finished') return;
    answers.push(call.result);
  }
  scope.messages.push(toolMessage(reply, answers.reverse()));
  delete scope.calls;
  // Notes about a call, named `<x>:<callId>`, are no longer needed.
  for (const name of scope.notes.keys()) {
    for (const { id } of uses) if (name.endsWith(id) && name.at(-id.length - 1) === ':') scope.notes.delete(name);
  }
}
