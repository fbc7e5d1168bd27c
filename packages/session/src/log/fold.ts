import {
  type AssistantMessage,
  type RunRecord,
  type TokenUsage,
  type ToolResult,
  type ToolUseBlock,
  toolUsesOf,
} from '@x/core';
import {
  addUsage,
  applyRecord as applyToScope,
  emptyScope,
  frozen,
  type KnownCall,
  notRun,
  noUsage,
  type ScopeState,
  unknownEffect,
} from '@x/core/internal';
import type { McpPin } from '@x/mcp';
import { type EntryBody, LOG_FORMAT } from './entry.ts';
import { FORMAT_STEPS, type FormatStep, inNewestFormat, knownFormat } from './log-format.ts';

/** Identifies a run. */
export interface OpenRun {
  readonly runId: string;
  readonly messageId: string;
  readonly maxTurns?: number;
}
/** A run that has started and not ended. */
export interface RunState extends OpenRun {
  /** 1, 2, 3, ...: each process that continues an open run is another owner. */
  owner: number;
  /** Owners since the last reply or result, except those that have left in good order: all but a present one have crashed. */
  attempts: number;
  /** True while it waits for answers, and no owner has continued it. */
  waits?: boolean;
}
/** The state of a session, folded from its log. Keys come from outside, hence maps. */
export interface SessionState {
  /** The last entry folded in. */
  head: number;
  cwd: string;
  title?: string;
  metadata?: Readonly<Record<string, string>>;
  /** Rules that the host has allowed for the session. */
  allowedRules?: readonly string[];
  /** Definitions of MCP tools, as they were seen first or approved. */
  mcpPins?: readonly McpPin[];
  /** The format in which the log's last entries are written. */
  format: number;
  /** By `scopeKey`; the session's own agent is ''. */
  scopes: Map<string, ScopeState>;
  /** Ids of all tool calls so far. */
  usedCallIds: Set<string>;
  run?: RunState;
  /** The first user message that no model has seen: the run that recorded it was stopped before its first model call. */
  unseen?: string;
  /** The message that the last run was begun with, if that has ended with an error. */
  failed?: string;
  /** Of the run under way, subagents included. */
  runUsage: TokenUsage;
}

export function emptyState(): SessionState {
  return { head: 0, cwd: '', format: LOG_FORMAT, scopes: new Map(), usedCallIds: new Set(), runUsage: noUsage() };
}

/**
 * Folds one entry into `state`, whose only owner is the log. Entries of an unknown type change nothing: a newer version of the same format
 * may write them. @throws SessionError for a log this version cannot read
 */
export function apply(state: SessionState, stored: EntryBody, steps: readonly FormatStep[] = FORMAT_STEPS): void {
  const body = inNewestFormat(stored, state.format, steps);
  if (body.type === 'session_created') {
    state.format = knownFormat(body.format, steps);
    if (typeof body.cwd !== 'string') throw new TypeError('A session has a working directory');
    state.cwd = body.cwd;
  } else if (body.type === 'format_raised') {
    state.format = knownFormat(body.format, steps);
  } else if (body.type === 'run_started') {
    startRun(state, body);
  } else if (body.type === 'run_resumed') {
    const { run } = state;
    if (run) Object.assign(run, { owner: run.owner + 1, attempts: run.attempts + 1 });
    delete run?.waits;
  } else if (body.type === 'run_left') {
    leaveRun(state, body.waits !== undefined);
  } else if (body.type === 'record') {
    applyRecord(state, body.scope, body.record);
  } else if (body.type === 'run_ended') {
    if (body.subtype === 'error' && state.run) state.failed = state.run.messageId;
    delete state.run;
    scopeOf(state, []).notes.clear(); // they are of one run
    if (body.subtype === 'error') delete state.unseen;
    for (const key of state.scopes.keys()) if (key !== '') state.scopes.delete(key);
  } else if (body.type === 'conversation_rewound') {
    rewindConversation(state, body);
  } else if (body.type === 'title') {
    if (typeof body.title !== 'string') throw new TypeError('A title is a text');
    state.title = body.title;
  } else if (body.type === 'metadata') {
    if (typeof body.metadata !== 'object' || body.metadata === null) throw new TypeError('Metadata is a record');
    state.metadata = frozen(body.metadata);
  } else if (body.type === 'rules_allowed') {
    if (!Array.isArray(body.rules)) throw new TypeError('Allowed rules are a list');
    state.allowedRules = frozen(body.rules);
  } else if (body.type === 'mcp_pins') {
    // A frozen list was made in this process, and has each tool once; a damaged log may hold anything.
    const isFirst = state.mcpPins === undefined && Array.isArray(body.pins) && Object.isFrozen(body.pins);
    state.mcpPins = isFirst ? body.pins : frozen(withPins(state.mcpPins, body.pins));
  }
  state.head += 1;
}

function startRun(
  state: SessionState,
  { runId, messageId, maxTurns }: Extract<EntryBody, { type: 'run_started' }>,
): void {
  state.run = { runId, messageId, ...(maxTurns === undefined ? {} : { maxTurns }), owner: 1, attempts: 1 };
  delete state.failed;
  state.runUsage = noUsage();
  const own = scopeOf(state, []);
  own.turns = 0;
  own.notes.clear();
}

/** The last pin of each tool. */
export function withPins(before: readonly McpPin[] = [], pins: readonly McpPin[]): readonly McpPin[] {
  const last = new Map<string, McpPin>();
  for (const some of [before, pins]) for (const pin of some) last.set(`${pin.serverName} ${pin.name}`, pin); // a server's name has no space
  return [...last.values()];
}

function rewindConversation(
  state: SessionState,
  { kept, restored = [] }: Extract<EntryBody, { type: 'conversation_rewound' }>,
): void {
  const own = emptyScope(scopeOf(state, []).messages.slice(0, kept));
  for (const record of restored) applyToScope(own, record);
  state.scopes.set('', own);
  delete state.unseen;
  delete state.failed;
}

/** Takes back the attempts of an owner that left in good order: of the run and of its open calls. */
function leaveRun({ run, scopes }: SessionState, waits: boolean): void {
  if (!run) return;
  if (waits) run.waits = true;
  else delete run.waits;
  run.attempts -= 1;
  for (const { calls } of scopes.values()) {
    for (const [callId, call] of calls ?? []) {
      if (call.state === 'started' && call.owner === run.owner)
        calls?.set(callId, { ...call, attempts: call.attempts - 1 });
    }
  }
}

/** The scope's state, created on first use. */
export function scopeOf(state: SessionState, scope: readonly string[]): ScopeState {
  const key = scopeKey(scope);
  let found = state.scopes.get(key);
  if (!found) state.scopes.set(key, (found = emptyScope()));
  return found;
}

/** Call ids come from outside and may hold any character: each is prefixed with its length, so that no two scopes share a key. */
export function scopeKey(scope: readonly string[]): string {
  let key = ''; // nearly always that of the session's own agent
  for (const callId of scope) key += `${callId.length}:${callId}`;
  return key;
}

/** Reverses `scopeKey`. */
export function scopeFrom(key: string): string[] {
  const scope: string[] = [];
  for (let at = 0; at < key.length; ) {
    const colon = key.indexOf(':', at);
    const end = colon + 1 + Number(key.slice(at, colon));
    scope.push(key.slice(colon + 1, end));
    at = end;
  }
  return scope;
}

function applyRecord(state: SessionState, path: readonly string[], record: RunRecord): void {
  const scope = scopeOf(state, path);
  const wasOpen = scope.calls !== undefined;
  if (state.run && isProgress(record)) state.run.attempts = 1;
  if (path.length === 0) noteSeen(state, record);
  applyToScope(scope, record, state.run?.owner ?? 0);
  if (record.type === 'message') {
    if (record.message.role === 'assistant') applyReply(state, record.message);
  } else if (record.type === 'tool_finished') {
    if (wasOpen) forgetRunsOf(state, [...path, record.callId]);
  } else if (record.type === 'note' && record.name === 'usage') {
    state.runUsage = addUsage(state.runUsage, usageIn(record.data));
  }
}

function applyReply(state: SessionState, reply: AssistantMessage): void {
  state.runUsage = addUsage(state.runUsage, reply.usage);
  for (const { id } of toolUsesOf(reply)) state.usedCallIds.add(id);
}

/** True for records that a run has only once: a reply, a result, a summary. Notes and starts are repeated with every attempt. */
export function isProgress(record: RunRecord): boolean {
  if (record.type === 'message') return record.message.role === 'assistant';
  return record.type === 'tool_finished' || record.type === 'compaction';
}

function noteSeen(state: SessionState, record: RunRecord): void {
  const isUnseen = isUnseenAfter(record, state.unseen !== undefined);
  if (!isUnseen) {
    if (state.unseen !== undefined) delete state.unseen; // to delete what is not there is slow
  } else if (record.type === 'message') state.unseen ??= record.message.id;
}

/**
 * True when a user message waits for a model after this record; `before` when the record does not change that. A call leaves a reply or a
 * note of its usage.
 */
export function isUnseenAfter<T>(record: RunRecord, before: T): boolean | T {
  if (record.type === 'message') return record.message.role === 'user';
  if (record.type !== 'note' || record.name !== 'usage') return before;
  const { purpose } = (record.data ?? {}) as { readonly purpose?: unknown };
  return purpose === 'compaction' ? before : false; // a summary answers nobody
}

/** Forgets the run of a subagent with the call that started it, except for calls that a crash or an abort has left open. */
function forgetRunsOf(state: SessionState, scope: readonly string[]): void {
  if (state.scopes.size === 1) return; // nobody but the session's own agent
  const prefix = scopeKey(scope);
  for (const [key, { calls }] of state.scopes) if (key.startsWith(prefix) && !calls) state.scopes.delete(key);
}

function usageIn(note: unknown): TokenUsage {
  return (note as { usage?: TokenUsage } | null)?.usage ?? noUsage();
}

/** The answer for a call that has none; undefined leaves it open. */
type AnswerFor = (use: ToolUseBlock, call: KnownCall | undefined) => Omit<ToolResult, 'data'> | undefined;

function ofStoppedCall({ name }: ToolUseBlock, call: KnownCall | undefined): ToolResult {
  return call?.state === 'started' ? unknownEffect(name, call.commands) : notRun(name);
}

/** An answer for every call that has none yet, those of subagents first. Default: not run, or its effect is not known. */
export function answersForOpenCalls(state: SessionState, answerFor: AnswerFor = ofStoppedCall): EntryBody[] {
  const deepestFirst = [...state.scopes]
    .map(([key, own]) => ({ scope: scopeFrom(key), own }))
    .toSorted((one, other) => other.scope.length - one.scope.length);
  return deepestFirst.flatMap(({ scope, own: { messages, calls } }) => {
    const reply = messages.at(-1);
    if (!calls || reply?.role !== 'assistant') return [];
    const open = toolUsesOf(reply).filter((use) => calls.get(use.id)?.state !== 'finished');
    return open.flatMap((use): EntryBody[] => {
      const result = answerFor(use, calls.get(use.id));
      if (!result) return [];
      return [{ type: 'record', scope, record: { type: 'tool_finished', callId: use.id, result, durationMs: 0 } }];
    });
  });
}

/** The end of the run that is open, by somebody who does not go on with it: its open calls are answered. */
export function endOfRun(state: SessionState, subtype: 'success' | 'aborted'): EntryBody[] {
  const { run, runUsage: usage } = state;
  if (!run) return [];
  return [...answersForOpenCalls(state), { type: 'run_ended', runId: run.runId, subtype, usage }];
}
