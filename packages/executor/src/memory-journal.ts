import type { CallState, Journal, Message, RunRecord } from '@x/core';

/** A journal whose records can be looked at. */
export interface MemoryJournal extends Journal {
  /** Everything written here and in the scopes below, in order. */
  readonly records: readonly { readonly scope: readonly string[]; readonly record: RunRecord }[];
}

/** A `Journal` for runs without a session: kept in memory, gone with the process. `messages` is the history to start from. */
export function memoryJournal({ messages = [] }: { messages?: readonly Message[] } = {}): MemoryJournal {
  const records: { scope: readonly string[]; record: RunRecord }[] = [];
  return scoped([], { records, messages, used: new Set() });
}

interface Shared {
  readonly records: { scope: readonly string[]; record: RunRecord }[];
  readonly messages: readonly Message[];
  readonly used: Set<string>;
}

function scoped(scope: readonly string[], { records, messages, used }: Shared): MemoryJournal {
  const notes = new Map<string, unknown>();
  return {
    records,
    past: { messages, turns: 0, call: (): CallState | undefined => undefined, note: (name) => notes.get(name) },
    async write(...written) {
      for (const record of written) {
        records.push({ scope, record });
        if (record.type === 'note') notes.set(record.name, record.data);
      }
    },
    claimCallId(id) {
      const own = id !== '' && !used.has(id) ? id : `call_${crypto.randomUUID().replaceAll('-', '')}`;
      used.add(own);
      return own;
    },
    child: (callId) => scoped([...scope, callId], { records, messages: [], used }),
  };
}
