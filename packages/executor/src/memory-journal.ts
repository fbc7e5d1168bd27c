import { type Journal, type Message, type RunRecord, toolUsesOf } from '@x/core';
import { applyRecord, checkJsonValue, emptyScope, unusedCallId } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions } from '@x/errors/option-rules';
import { ownMessage } from './input-copy.ts';

/** One record, and the call ids of the subagents around the run that wrote it, outermost first. */
export interface ScopedRecord {
  readonly scope: readonly string[];
  readonly record: RunRecord;
}
/** A journal whose records can be read. */
export interface MemoryJournal extends Journal {
  /** Everything written here and in the scopes below, in order. */
  readonly records: readonly ScopedRecord[];
}
/** Options of `memoryJournal`. */
export interface MemoryJournalOptions {
  /** The history to continue. */
  readonly messages?: readonly Message[];
  /** Records of an interrupted attempt: the run continues after them. */
  readonly records?: readonly ScopedRecord[];
}

/**
 * A `Journal` for runs without a session: kept in memory, lost with the process. One journal serves one run; its `past` consists of the
 * given records, that of a `child` of the records in the child's scope so far. @throws ValidationError for an unknown option
 */
export function memoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  checkOptions('memoryJournal options', options, { messages: is.list, records: is.list });
  const { messages = [], records = [] } = options;
  return scoped([], {
    records: records.map(ownRecord),
    messages: messages.map(ownMessage),
    used: new Set(callIdsIn([...messages, ...messagesIn(records)])),
  });
}

interface Shared {
  readonly records: ScopedRecord[];
  /** The history of the outermost run. */
  readonly messages: readonly Message[];
  readonly used: Set<string>;
}

function scoped(scope: readonly string[], shared: Shared): MemoryJournal {
  const { records, used } = shared;
  const state = emptyScope(scope.length === 0 ? shared.messages : []);
  for (const one of records) if (isSameScope(one.scope, scope)) applyRecord(state, one.record);
  const { messages, turns, calls, notes } = state;
  const noted = new Map(notes);
  return {
    records,
    past: { messages, turns, call: (callId) => calls?.get(callId), note: (name) => noted.get(name) },
    async write(...written) {
      for (const record of written) if (record.type === 'note') checkJsonValue(record.data, `The note ${record.name}`);
      for (const record of written) {
        records.push({ scope, record });
        if (record.type === 'note') noted.set(record.name, record.data);
      }
    },
    claimCallId(id) {
      const own = unusedCallId(id, (other) => used.has(other));
      used.add(own);
      return own;
    },
    child: (callId) => scoped([...scope, callId], shared),
  };
}

function ownRecord({ scope, record }: ScopedRecord): ScopedRecord {
  return { scope, record: record.type === 'message' ? { ...record, message: ownMessage(record.message) } : record };
}

function isSameScope(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((callId, index) => callId === other[index]);
}

function messagesIn(records: readonly ScopedRecord[]): Message[] {
  return records.flatMap(({ record }) => (record.type === 'message' ? [record.message] : []));
}

function callIdsIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? toolUsesOf(message).map(({ id }) => id) : []));
}
