import type { Message, RunRecord } from '@x/core';
import type { EntryBody } from '../../src/index.ts';
import { answersForOpenCalls, apply, emptyState, type SessionState, scopeOf } from '../../src/log/fold.ts';
import type { Snapshot } from '../../src/log/session-store.ts';
import { type Mark, snapshotOf, stateIn } from '../../src/log/snapshot.ts';
import { faultsInView } from './faults-in-view.ts';
import { type RichLog, unpacked } from './rich-log.ts';

/** What is on trial; a control puts something else in the place of one of them. */
export interface OnTrial {
  readonly fold: (state: SessionState, body: EntryBody) => void;
  readonly answers: (state: SessionState) => readonly EntryBody[];
  /** By way of a snapshot. */
  readonly restore: (snapshot: Snapshot) => SessionState | undefined;
}
export const OURS: OnTrial = {
  fold: apply,
  answers: answersForOpenCalls,
  restore: (snapshot) => stateIn('s', { snapshot, mark: markOf(snapshot) }),
};

export interface TrialReport {
  readonly faults: readonly string[];
  /** Prefixes that left a call unanswered. */
  readonly repaired: number;
  /** The conversation after the prefix that was asked for, repaired. */
  readonly view: readonly Message[];
}

/** Every prefix of a log; `chosen` is the number of entries of one whose view is wanted, `cut` those that a snapshot covers. */
export function prefixTrial(
  log: RichLog,
  { chosen, cut, onTrial = OURS }: { chosen: number; cut: number; onTrial?: OnTrial },
): TrialReport {
  const { fold, answers, restore } = onTrial;
  const state = emptyState();
  const recorded = new Map<string, string>();
  const faults: string[] = [];
  let [repaired, view]: [number, readonly Message[]] = [0, []];
  let behindSnapshot: SessionState | undefined;
  for (const [index, stored] of log.bodies.entries()) {
    const body = unpacked(stored, log);
    fold(state, body);
    note(body, recorded);
    if (behindSnapshot) apply(behindSnapshot, body);
    const snapshot = packed(state);
    const copy = restore(snapshot);
    if (index + 1 === cut) behindSnapshot = restore(snapshot);
    const found = copy && differs(copy, snapshot) ? ['the snapshot gives another state'] : [];
    const left = copy ?? state;
    const given = answers(left);
    if (given.length > 0) repaired += 1;
    for (const answer of given) apply(left, answer);
    if (answersForOpenCalls(left).length > 0) found.push('the second repair finds something left to do');
    for (const { messages } of left.scopes.values()) found.push(...faultsInView(messages, recorded));
    if (index + 1 === chosen) view = scopeOf(left, []).messages;
    faults.push(...found.map((fault) => `after entry ${index + 1}: ${fault}`));
  }
  if (behindSnapshot && differs(behindSnapshot, packed(state)))
    faults.push(`a snapshot after entry ${cut} and the rest give another state`);
  return { faults, repaired, view };
}

function differs(state: SessionState, snapshot: Snapshot): boolean {
  return Buffer.compare(packed(state).state, snapshot.state) !== 0;
}

function packed(state: SessionState): Snapshot {
  return snapshotOf('s', state, markOf({ seq: state.head }));
}

function markOf({ seq }: Pick<Snapshot, 'seq'>): Mark {
  return { seq, at: 'then', epoch: 1 };
}

/** The results of calls, as the log has them; of a call that was answered twice before its reply was complete, the last. */
function note(body: EntryBody, recorded: Map<string, string>): void {
  if (body.type !== 'record') return;
  const record: RunRecord = body.record;
  if (record.type === 'tool_finished') recorded.set(record.callId, record.result.output);
}
