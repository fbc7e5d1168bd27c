import type { RunRecord, TokenUsage } from '@x/core';
import type { SessionEntry } from '../../src/index.ts';
import type { Acknowledgement } from './acknowledgements.ts';
import { type Contents, userTextsIn } from './do-work.ts';
import { callsOf, type Plan, replyNumbersOf, runText, steerText, userRunsOf } from './plan.ts';

type RecordOf<T extends RunRecord['type']> = Extract<RunRecord, { type: T }>;

/** Acknowledged and not in the log. To be asked before anything goes on, which might make it again. */
export function lostOf(acknowledged: readonly Acknowledgement[], { entries, waitingIds }: Contents): string[] {
  const users = new Set(waitingIds);
  for (const id of recordedUsers(entries)) users.add(id);
  const replies = new Set(usageIn(entries).map(({ inputTokens }) => inputTokens));
  const recorded = new Set(recordedUsers(entries));
  const outputs = new Map(recordsIn(entries, 'tool_finished').map(({ callId, result }) => [callId, result.output]));
  const ended = new Set(endedRuns(entries));
  return acknowledged
    .filter((one) => {
      if (one.kind === 'sent') return !users.has(one.messageId);
      if (one.kind === 'user_message') return !recorded.has(one.messageId);
      if (one.kind === 'reply') return !replies.has(one.number);
      if (one.kind === 'tool_result') return outputs.get(one.callId) !== one.output;
      return one.kind === 'result' && one.subtype !== 'error' && !ended.has(`${one.messageId} ${one.subtype}`);
    })
    .map((one) => JSON.stringify(one));
}

/** What is wrong with any log: numbers, epochs, results and keys of calls. */
export function orderFaults(entries: readonly SessionEntry[]): string[] {
  const faults: string[] = [];
  let epoch = 0;
  entries.forEach((entry, index) => {
    if (entry.seq !== index + 1) faults.push(`entry ${index + 1} has the number ${entry.seq}`);
    if (entry.epoch < epoch) faults.push(`entry ${entry.seq} has epoch ${entry.epoch} after ${epoch}`);
    epoch = Math.max(epoch, entry.epoch);
  });
  const results = recordsIn(entries, 'tool_finished').map(({ callId }) => callId);
  faults.push(...twice('results of call', results));
  const keys = new Map<string, string>();
  for (const { callId, idempotencyKey } of recordsIn(entries, 'tool_started')) {
    if ((keys.get(callId) ?? idempotencyKey) !== idempotencyKey) faults.push(`two keys for call ${callId}`);
    keys.set(callId, idempotencyKey);
  }
  return faults;
}

/** What no log may show, whatever has happened to its writers. */
export function logFaults(entries: readonly SessionEntry[]): string[] {
  return [
    ...orderFaults(entries),
    ...twice('user messages', recordedUsers(entries)),
    ...twice('replies', replyNumbersIn(entries)),
  ];
}

function twice(what: string, ids: readonly (string | number)[]): string[] {
  const repeated = new Set(ids.filter((one, index) => ids.indexOf(one) !== index));
  return [...repeated].map((id) => `two ${what} ${id}`);
}

/** Calls that have begun, have no result and may not be repeated, or not once more; the calls of a subagent are counted themselves. */
export function openEffectsOf(entries: readonly SessionEntry[]): string[] {
  const finished = new Set(recordsIn(entries, 'tool_finished').map(({ callId }) => callId));
  const open = recordsIn(entries, 'tool_started').filter(({ callId }) => !finished.has(callId));
  return [...Map.groupBy(open, ({ callId }) => callId)].flatMap(([callId, starts]) => {
    const isSpent = starts.length > 1 && starts[0]!.name !== 'Task';
    return isSpent || starts[0]!.effect === 'non_idempotent' ? [callId] : [];
  });
}

/** The calls whose approval, or start, a log holds: nobody is to be asked about them again. */
export function allowedIn(entries: readonly SessionEntry[]): ReadonlySet<string> {
  const notes = recordsIn(entries, 'note').flatMap(({ name, data }) => {
    const { decision } = (data ?? {}) as { decision?: unknown };
    return name.startsWith('permission:') && decision === 'allow' ? [name.slice('permission:'.length)] : [];
  });
  return new Set([...notes, ...recordsIn(entries, 'tool_started').map(({ callId }) => callId)]);
}

/** Where the log stands, in words. */
export function standOf(entries: readonly SessionEntry[]): string {
  const last = entries.findLast(({ body }) => body.type === 'run_started' || body.type === 'run_ended');
  if (last?.body.type !== 'run_started') return 'between runs';
  const messages = recordsIn(entries, 'message').map(({ message }) => message);
  const reply = messages.findLast(({ role }) => role === 'assistant');
  const calls =
    reply?.role === 'assistant' ? reply.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])) : [];
  const finished = new Set(recordsIn(entries, 'tool_finished').map(({ callId }) => callId));
  const started = new Map(recordsIn(entries, 'tool_started').map(({ callId, effect }) => [callId, effect]));
  const open = calls.filter((id) => !finished.has(id));
  const under = open.filter((id) => started.has(id)).map((id) => started.get(id)!);
  if (under.length > 0)
    return `between start and finish, ${under.includes('non_idempotent') ? 'not repeatable' : 'repeatable'}`;
  if (open.length > 0) return 'between reply and start';
  return messages.at(-1)?.role === 'assistant' && calls.length === 0
    ? 'after the last reply'
    : 'before or in a model call';
}

export interface Ending {
  readonly plan: Plan;
  readonly contents: Contents;
  /** Outputs by call id, of a session that nothing has disturbed. */
  readonly reference: ReadonlyMap<string, string>;
  /** Calls found open at any stop; undefined when nobody has looked. */
  readonly interrupted?: ReadonlySet<string> | undefined;
}

/** How the finished session differs from an undisturbed one, apart from calls that are reported as unknown. */
export function endingFaults({ plan, contents, reference, interrupted }: Ending): string[] {
  const { entries, waiting } = contents;
  const faults: string[] = [];
  const expect = (what: string, found: readonly unknown[], expected: readonly unknown[]) => {
    const [one, other] = [found.map(String).toSorted().join(' '), expected.map(String).toSorted().join(' ')];
    if (one !== other) faults.push(`${what}: found ${one}, expected ${other}`);
  };
  expect('waiting messages', waiting, []);
  expect('user messages', userTextsIn(entries), [...[...plan.keys()].map(runText), ...userRunsOf(plan).map(steerText)]);
  const planned = replyNumbersOf(plan);
  expect(
    'replies',
    replyNumbersIn(entries).filter((number) => planned.includes(number)),
    planned,
  );
  const starts = entries.filter(({ body }) => body.type === 'run_started').length;
  if (endedRuns(entries).length !== starts) faults.push('a run has not ended');
  for (const ended of endedRuns(entries)) if (!ended.endsWith(' success')) faults.push(`run ended: ${ended}`);
  const results = new Map(recordsIn(entries, 'tool_finished').map(({ callId, result }) => [callId, result]));
  const unknown = unknownOf(entries);
  if (interrupted) expect('unknown calls', unknown, [...interrupted]);
  expect('calls', [...results.keys()], [...callsOf(plan).keys()]);
  const isOpen = (callId: string) => unknown.includes(callId) || unknown.includes(writtenFor(callId, plan));
  for (const [callId, { output }] of results) {
    if (output !== reference.get(callId) && !isOpen(callId)) faults.push(`call ${callId} answered ${output}`);
  }
  return faults;
}

/** The call that has written what this one reads: what it answers is as unknown as that effect. */
function writtenFor(callId: string, plan: Plan): string {
  const { file_path: path } = (callsOf(plan).get(callId)?.input ?? {}) as { readonly file_path?: unknown };
  return String(path).split('/').at(-1)!; // a text has a part
}

/** Calls whose effect is reported as unknown. */
export function unknownOf(entries: readonly SessionEntry[]): string[] {
  return recordsIn(entries, 'tool_finished').flatMap(({ callId, result }) =>
    result.interrupted === 'unknown' ? [callId] : [],
  );
}

/** Outputs by call id. */
export function outputsIn(entries: readonly SessionEntry[]): Map<string, string> {
  return new Map(recordsIn(entries, 'tool_finished').map(({ callId, result }) => [callId, result.output]));
}

export interface EffectFaults {
  readonly doubled: readonly string[];
  readonly missing: readonly string[];
}

/** Effects, counted by call id: none twice, and none missing that is not reported as unknown. */
export function effectFaults(effects: ReadonlyMap<string, number>, entries: readonly SessionEntry[]): EffectFaults {
  const unknown = new Set(unknownOf(entries));
  const counted = [...effects];
  return {
    doubled: counted.filter(([, times]) => times > 1).map(([callId]) => callId),
    missing: counted.filter(([callId, times]) => times === 0 && !unknown.has(callId)).map(([callId]) => callId),
  };
}

/** The usage of every model call, in the order of the log: a reply carries its own, any other has left a note. */
export function usageIn(entries: readonly SessionEntry[]): TokenUsage[] {
  return entries.flatMap(({ body }) => {
    if (body.type !== 'record') return [];
    const { record } = body;
    if (record.type === 'message') return record.message.role === 'assistant' ? [record.message.usage] : [];
    return record.type === 'note' && record.name === 'usage' ? [(record.data as { usage: TokenUsage }).usage] : []; // safe: the run's own note
  });
}

export function recordsIn<T extends RunRecord['type']>(entries: readonly SessionEntry[], type: T): RecordOf<T>[] {
  return entries.flatMap(({ body }) => {
    return body.type === 'record' && body.record.type === type ? [body.record as RecordOf<T>] : []; // safe: the type was compared
  });
}

function recordedUsers(entries: readonly SessionEntry[]): string[] {
  return recordsIn(entries, 'message').flatMap(({ message }) => (message.role === 'user' ? [message.id] : []));
}

function replyNumbersIn(entries: readonly SessionEntry[]): number[] {
  return recordsIn(entries, 'message').flatMap(({ message }) =>
    message.role === 'assistant' ? [message.usage.inputTokens] : [],
  );
}

/** The runs that have ended, each as the message it belongs to and how it ended. */
function endedRuns(entries: readonly SessionEntry[]): string[] {
  const messageIds = new Map<string, string>();
  return entries.flatMap(({ body }) => {
    if (body.type === 'run_started') messageIds.set(body.runId, body.messageId);
    return body.type === 'run_ended' ? [`${messageIds.get(body.runId)} ${body.subtype}`] : [];
  });
}
