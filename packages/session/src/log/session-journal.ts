import type { Journal, RunRecord } from '@x/core';
import { checkJsonValue, unusedCallId } from '@x/core/internal';
import type { EntryBody } from './entry.ts';
import { scopeOf } from './fold.ts';
import type { SessionLog } from './session-log.ts';

/** Called with each record on its way into the log; returns the messages that it takes out of the inbox. */
export type OnRecord = (record: RunRecord) => readonly string[] | undefined;

/** Entries that wait for the next record of the run, and are written in one step with it, before it. */
export interface Riders {
  take(): readonly EntryBody[];
  /** Called with what could not be written. */
  giveBack(bodies: readonly EntryBody[]): void;
}

/** A `Journal` over the session's log. The past is what the log held when the run (or the subagent's run) began. */
export function sessionJournal(log: SessionLog, onRecord: OnRecord, riders?: Riders): Journal {
  return scoped(log, { scope: [], onRecord, claimed: new Set(), riders });
}

const NONE: readonly string[] = [];
const NO_BODIES: readonly EntryBody[] = [];

interface Shared {
  readonly scope: readonly string[];
  readonly onRecord: OnRecord;
  /** Ids issued in this run; those of recorded replies are in the state as well. */
  readonly claimed: Set<string>;
  readonly riders: Riders | undefined;
}

function scoped(log: SessionLog, shared: Shared): Journal {
  const { scope, onRecord, claimed, riders } = shared;
  const { state } = log;
  const own = scopeOf(state, scope);
  const calls = new Map(own.calls);
  return {
    past: {
      messages: [...own.messages],
      turns: own.turns,
      call: (callId) => calls.get(callId),
      note: (name) => own.notes.get(name),
    },
    async write(...records) {
      for (const record of records) if (record.type === 'note') checkJsonValue(record.data, `The note ${record.name}`);
      const consumed: string[] = [];
      for (const record of records) consumed.push(...(onRecord(record) ?? NONE));
      const bodies = records.map((record) => ({ type: 'record' as const, scope, record }));
      const more = riders?.take() ?? NO_BODIES;
      try {
        await log.append([...more, ...bodies], consumed.length > 0 ? consumed : undefined);
      } catch (error) {
        riders?.giveBack(more);
        throw error;
      }
    },
    claimCallId(id) {
      const fresh = unusedCallId(id, (used) => claimed.has(used) || state.usedCallIds.has(used));
      claimed.add(fresh);
      return fresh;
    },
    child: (callId) => scoped(log, { ...shared, scope: [...scope, callId] }),
  };
}
