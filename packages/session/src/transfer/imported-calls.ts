import { toolUsesOf } from '@x/core';
import type { EntryBody } from '../log/entry.ts';
import { type SessionState, scopeFrom } from '../log/fold.ts';
import { withoutAllowedRules } from '../run/allowed-rules.ts';

const ANSWERS = /^(permission|question|answer):/;

/**
 * Entries that an import adds to its log. Rules that were allowed, and answers that allowed open calls, count only where they were given,
 * so that nobody has to trust a file. The commands of an open call belong to another session, which may go on. Under another session id a
 * call that has started is not repeated either: its key contains the id, so its service would not recognize it.
 */
export function aboutOpenCalls(
  state: SessionState,
  about: { readonly isRenamed: boolean; readonly sessionId: string },
): EntryBody[] {
  return [
    ...withoutAllowedRules(state),
    ...withoutAnswers(state),
    ...openCalls(state, about),
    ...toBeAskedAgain(state),
  ];
}

/** Brings a run that waits for answers to the next owner, who asks again: its questions are gone. */
function toBeAskedAgain({ run }: SessionState): EntryBody[] {
  if (!run?.waits) return [];
  const { runId } = run;
  return [
    { type: 'run_resumed', runId },
    { type: 'run_left', runId },
  ];
}

/** Takes back every answer, also one for a later call: its id may be guessed. And every question: it may show another call than it is about. */
function withoutAnswers({ scopes }: SessionState): EntryBody[] {
  return [...scopes].flatMap(([key, { notes }]) =>
    [...notes].flatMap(([name, data]): EntryBody[] =>
      ANSWERS.test(name) && data !== null ? [entryOf(scopeFrom(key), { type: 'note', name, data: null })] : [],
    ),
  );
}

function openCalls(
  { scopes }: SessionState,
  { isRenamed, sessionId }: { readonly isRenamed: boolean; readonly sessionId: string },
): EntryBody[] {
  return [...scopes].flatMap(([key, { messages, calls }]) => {
    const reply = messages.at(-1);
    if (!calls || reply?.role !== 'assistant') return [];
    const scope = scopeFrom(key);
    return toolUsesOf(reply).flatMap(({ id: callId, name, input }): EntryBody[] => {
      const call = calls.get(callId);
      if (call?.state !== 'started') return [];
      const isUnknown = isRenamed && call.effect === 'idempotent';
      if (!isUnknown && call.mark === undefined) return [];
      const started = {
        type: 'tool_started',
        callId,
        name,
        input,
        effect: isUnknown ? 'non_idempotent' : call.effect,
        idempotencyKey: isRenamed ? '' : `${sessionId}:${callId}`,
      } as const;
      return [entryOf(scope, started)];
    });
  });
}

type RecordBody = Extract<EntryBody, { readonly type: 'record' }>;

function entryOf(scope: readonly string[], record: RecordBody['record']): RecordBody {
  return { type: 'record', scope, record };
}
