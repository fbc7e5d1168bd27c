import { toolUsesOf } from '@x/core';
import { withoutAllowedRules } from './allowed-rules.ts';
import type { EntryBody } from './log/entry.ts';
import { type SessionState, scopeFrom } from './log/fold.ts';

/**
 * What an import adds to its log: rules that were allowed, and an answer that has allowed a call without an answer yet, count where they
 * were given, so that nobody is asked to trust a file. Under another session id a call that has started is not repeated either: its key is made of the id,
 * so that its service would not know it again.
 */
export function aboutOpenCalls(state: SessionState, { isRenamed }: { isRenamed: boolean }): EntryBody[] {
  return [...withoutAllowedRules(state), ...withoutAnswers(state), ...(isRenamed ? openCalls(state) : [])];
}

/** Takes back every answer, also one for a call that is still to come: its id may be guessed. */
function withoutAnswers({ scopes }: SessionState): EntryBody[] {
  return [...scopes].flatMap(([key, { notes }]) =>
    [...notes].flatMap(([name, data]): EntryBody[] =>
      name.startsWith('permission:') && data !== null
        ? [entryOf(scopeFrom(key), { type: 'note', name, data: null })]
        : [],
    ),
  );
}

function openCalls({ scopes }: SessionState): EntryBody[] {
  return [...scopes].flatMap(([key, { messages, calls }]) => {
    const reply = messages.at(-1);
    if (!calls || reply?.role !== 'assistant') return [];
    const scope = scopeFrom(key);
    return toolUsesOf(reply).flatMap(({ id: callId, name, input }): EntryBody[] => {
      const call = calls.get(callId);
      if (call?.state === 'finished') return [];
      if (call?.effect !== 'idempotent') return [];
      const started = {
        type: 'tool_started',
        callId,
        name,
        input,
        effect: 'non_idempotent',
        idempotencyKey: '',
      } as const;
      return [entryOf(scope, started)];
    });
  });
}

type RecordBody = Extract<EntryBody, { readonly type: 'record' }>;

function entryOf(scope: readonly string[], record: RecordBody['record']): RecordBody {
  return { type: 'record', scope, record };
}
