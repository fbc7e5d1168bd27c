import { frozen } from './frozen.ts';
import type { RunRecord } from './journal.ts';
import type { Message, UserMessage } from './message.ts';

/** The journal record of one compaction. */
export type CompactionRecord = Extract<RunRecord, { readonly type: 'compaction' }>;

/**
 * The messages after a compaction: its summary as a user message, the pinned ones, then everything from `keptFrom` on. If `keptFrom` is not
 * among them nothing is replaced: a history that is too long is better than a lost one.
 */
export function compacted(messages: readonly Message[], record: CompactionRecord): readonly Message[] {
  const from = messages.findIndex(({ id }) => id === record.keptFrom);
  if (from < 0) return messages;
  const pinned = new Set(record.pinned);
  const summary: UserMessage = frozen({
    id: record.id,
    createdAt: record.createdAt,
    role: 'user',
    content: [{ type: 'text', text: record.summary }],
  });
  return [summary, ...messages.slice(0, from).filter(({ id }) => pinned.has(id)), ...messages.slice(from)];
}
