import type { Journal, RunRecord, TokenUsage } from '@x/core';
import { addUsage, noUsage } from '@x/core/internal';
import type { RunSummary } from './conclude-run.ts';

/** A journal that sums up the recorded usage. */
export interface TalliedJournal {
  readonly journal: Journal;
  /**
   * Usage of every model call recorded so far, those of subagents included; the last reply of the run itself, and its number of replies.
   */
  facts(): Pick<RunSummary, 'usage' | 'lastReply' | 'turns'>;
}

/** Wraps a journal: its sums do not depend on what handlers or wraps do to events. */
export function talliedJournal(journal: Journal): TalliedJournal {
  let usage = noUsage();
  const last = journal.past.turns > 0 ? journal.past.messages.findLast((one) => one.role === 'assistant') : undefined;
  let reply = last;
  let { turns } = journal.past;
  const add = (record: RunRecord) => {
    const used = usageIn(record);
    if (used) usage = addUsage(usage, used);
  };
  const own = (record: RunRecord) => {
    if (record.type === 'message' && record.message.role === 'assistant') {
      reply = record.message;
      turns += 1;
    }
    add(record);
  };
  return { journal: watched(journal, { own, below: add }), facts: () => ({ usage, lastReply: reply, turns }) };
}

type OnRecord = (record: RunRecord) => void;

function watched(journal: Journal, { own, below }: { own: OnRecord; below: OnRecord }): Journal {
  return {
    past: journal.past,
    async write(...records) {
      await journal.write(...records);
      for (const record of records) own(record);
    },
    claimCallId: (id) => journal.claimCallId(id),
    child: (callId) => watched(journal.child(callId), { own: below, below }),
  };
}

function usageIn(record: RunRecord): TokenUsage | undefined {
  if (record.type === 'message') return record.message.role === 'assistant' ? record.message.usage : undefined;
  if (record.type !== 'note' || record.name !== 'usage') return undefined;
  return (record.data as { readonly usage?: TokenUsage } | null)?.usage; // written by the loop or by a handler
}
