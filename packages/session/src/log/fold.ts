import {
  type AssistantMessage,
  addUsage,
  type CallState,
  type Message,
  noUsage,
  type RunRecord,
  SessionError,
  type TokenUsage,
  toolMessage,
  toolUsesOf,
} from '@x/core';
import { type EntryBody, LOG_FORMAT } from './entry.ts';

/** What one agent of the session has said and done: its messages, and the calls of its last reply while one is unanswered. */
export interface ScopeState {
  messages: Message[];
  /** Calls of the last reply; present while that reply is not answered in full. */
  calls?: Map<string, CallState>;
  /** Model replies in the run under way. */
  turns: number;
  notes: Map<string, unknown>;
}
/** A run that has started and not ended. */
export interface OpenRun {
  readonly runId: string;
  readonly messageId: string;
  readonly maxTurns?: number;
}
/** What the log of a session comes to. Keys come from outside, hence maps. */
export interface SessionState {
  /** The last entry folded in. */
  head: number;
  cwd: string;
  /** By the call ids around it, joined with `/`; the session's own agent is ''. */
  scopes: Map<string, ScopeState>;
  /** Ids of all tool calls so far. */
  usedCallIds: Set<string>;
  run?: OpenRun;
  /** Of the run under way, subagents included. */
  runUsage: TokenUsage;
}

export function emptyState(): SessionState {
  return { head: 0, cwd: '', scopes: new Map(), usedCallIds: new Set(), runUsage: noUsage() };
}

/** One entry further. Changes `state`, whose only owner is the log. @throws SessionError for a log this version cannot read */
export function apply(state: SessionState, body: EntryBody): void {
  state.head += 1;
  if (body.type === 'session_created') {
    const format: number = body.format; // of another version it may be another
    if (format !== LOG_FORMAT) {
      throw new SessionError(
        `The log has format ${format}, this version reads ${LOG_FORMAT}; use the version that wrote it, or a newer one`,
        { code: 'SESSION_CONFLICT' },
      );
    }
    if (typeof body.cwd !== 'string') throw new TypeError('A session has a working directory');
    state.cwd = body.cwd;
  } else if (body.type === 'run_started') {
    const { runId, messageId, maxTurns } = body;
    state.run = { runId, messageId, ...(maxTurns === undefined ? {} : { maxTurns }) };
    state.runUsage = noUsage();
    const own = scopeOf(state, []);
    own.turns = 0;
    own.notes.clear();
  } else if (body.type === 'record') {
    applyRecord(state, scopeOf(state, body.scope), body.record);
  } else if (body.type === 'run_ended') {
    delete state.run;
    for (const key of state.scopes.keys()) if (key !== '') state.scopes.delete(key);
  } // other entries change nothing that a run needs
}

/** The scope's state, made when it is new. */
export function scopeOf(state: SessionState, scope: readonly string[]): ScopeState {
  const key = scope.join('/');
  let found = state.scopes.get(key);
  if (!found) state.scopes.set(key, (found = { messages: [], turns: 0, notes: new Map() }));
  return found;
}

function applyRecord(state: SessionState, scope: ScopeState, record: RunRecord): void {
  if (record.type === 'message') {
    const { message } = record;
    scope.messages.push(message);
    if (message.role === 'assistant') applyReply(state, scope, message);
  } else if (record.type === 'tool_started') {
    if (scope.calls?.get(record.callId)?.state !== 'finished')
      scope.calls?.set(record.callId, { state: 'started', effect: record.effect });
  } else if (record.type === 'tool_finished') {
    if (!scope.calls) return; // a result without a call stays in the log and out of the view
    scope.calls.set(record.callId, { state: 'finished', result: record.result });
    answerWhenComplete(scope);
  } else if (record.type === 'note') {
    scope.notes.set(record.name, record.data);
  }
}

function applyReply(state: SessionState, scope: ScopeState, reply: AssistantMessage): void {
  scope.turns += 1;
  state.runUsage = addUsage(state.runUsage, reply.usage);
  const uses = toolUsesOf(reply);
  for (const use of uses) state.usedCallIds.add(use.id);
  if (uses.length > 0) scope.calls = new Map();
}

/** Once the last call has its answer, the answers become the tool message, in the order of the calls. */
function answerWhenComplete(scope: ScopeState): void {
  const reply = scope.messages.at(-1);
  if (reply?.role !== 'assistant') return;
  const answers = [];
  for (const use of toolUsesOf(reply)) {
    const call = scope.calls?.get(use.id);
    if (call?.state !== 'finished') return;
    answers.push(call.result);
  }
  scope.messages.push(toolMessage(reply, answers));
  delete scope.calls;
}
