import { type Message, type RunRecord, textOf, toolUsesOf } from '@x/core';
import type { SessionEntry } from '../../src/index.ts';
import { ASKED } from './guarded-host.ts';
import { markOf, placeIn } from './guarded-plan.ts';

/** The records of one agent, in the order of the log. */
export interface ScopeRecords {
  /** The calls that have started the agent, outermost first; '' for the session's own. */
  readonly scope: string;
  readonly records: readonly RunRecord[];
}

/** The records of a log, agent by agent. */
export function scopesIn(entries: readonly SessionEntry[]): ScopeRecords[] {
  const bodies = entries.flatMap(({ body }) => (body.type === 'record' ? [body] : []));
  const scopes = Map.groupBy(bodies, ({ scope }) => scope.join('/'));
  return [...scopes].map(([scope, own]) => ({ scope, records: own.map(({ record }) => record) }));
}

/** Each call is approved, begun and answered in this order, behind its reply and before the next one, and answered once. */
export function scopeFaults({ scope, records }: ScopeRecords): string[] {
  const faults: string[] = [];
  const replies = records.flatMap((record, index) => (replyIn(record) ? [index] : []));
  for (const [nth, at] of replies.entries()) {
    const next = replies[nth + 1] ?? records.length;
    for (const { id, name } of toolUsesOf(replyIn(records[at])!)) {
      const places = (fits: (record: RunRecord) => boolean) =>
        records.flatMap((record, index) => (fits(record) ? [index] : []));
      const notes = places((record) => isApproval(record, id));
      const starts = places((record) => record.type === 'tool_started' && record.callId === id);
      const ends = places((record) => record.type === 'tool_finished' && record.callId === id);
      const say = (fault: string) => faults.push(`${id} in '${scope}' ${fault}`);
      const [end = -1] = ends;
      if (ends.length !== 1) say(`has ${ends.length} results`);
      if (starts.some((start) => start < at || start > end)) say('has begun before its reply or after its result');
      if (end < at || end > next) say('is not answered before the next reply');
      if (!ASKED.includes(name)) continue;
      const first = starts[0];
      if (first !== undefined && !notes.some((note) => note > at && note < first))
        say('has begun before it was allowed');
    }
  }
  const asked = replies.flatMap((at) => toolUsesOf(replyIn(records[at])!).map(({ id }) => id));
  for (const record of records) {
    if (record.type === 'tool_finished' && !asked.includes(record.callId))
      faults.push(`nobody called ${record.callId}`);
  }
  return faults;
}

/** Lists what every agent was told and has said, and when its history was compacted; steering, answers to it and lost calls are left out. */
export function spokenIn(entries: readonly SessionEntry[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(scopesIn(entries).map(({ scope, records }) => [scope, records.flatMap(lineOf)]));
}

/** Counts the calls that are billed as lost: none without a stop, and at least one for each stop in a call of a model. */
export function lostCallFaults(entries: readonly SessionEntry[], stoppedAt: readonly string[]): string[] {
  const lost = entries.filter(({ body }) => body.type === 'record' && isLostCall(body.record)).length;
  if (stoppedAt.length === 0) return lost === 0 ? [] : [`${lost} calls are billed as lost, and nothing was stopped`];
  const inCalls = stoppedAt.filter((point) => point === 'in the model').length;
  return lost >= inCalls ? [] : [`${inCalls} stops in a call of a model, ${lost} calls billed as lost`];
}

function isLostCall(record: RunRecord): boolean {
  if (record.type !== 'note' || record.name !== 'usage') return false;
  return (record.data as { purpose?: unknown }).purpose === 'lost'; // safe: the run's own note
}

function lineOf(record: RunRecord): readonly string[] {
  if (record.type === 'compaction') return ['compaction'];
  if (record.type === 'note')
    return record.name === 'usage' && !isLostCall(record) ? [`usage ${JSON.stringify(record.data)}`] : [];
  if (record.type !== 'message') return [];
  const { message } = record;
  const text = textOf(message);
  if (message.role === 'user') return text.startsWith('steer:') ? [] : [`user: ${text}`];
  const place = placeIn(text);
  return place ? [`${message.model}: ${markOf(place)}`] : [];
}

function replyIn(record: RunRecord | undefined): Extract<Message, { role: 'assistant' }> | undefined {
  return record?.type === 'message' && record.message.role === 'assistant' ? record.message : undefined;
}

function isApproval(record: RunRecord, callId: string): boolean {
  if (record.type !== 'note' || record.name !== `permission:${callId}`) return false;
  return (record.data as { decision?: unknown }).decision === 'allow'; // safe: the permissions write this note
}
