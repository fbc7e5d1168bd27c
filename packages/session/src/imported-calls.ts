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
  return [...withoutAllowedRules(state), ...openCalls(state, isRenamed)];
}

function openCalls({ scopes }: SessionState, isRenamed: boolean): EntryBody[] {
  return [...scopes].flatMap(([key, { messages, calls, notes }]) => {
    const reply = messages.at(-1);
    if (!calls || reply?.role !== 'assistant') return [];
    const scope = scopeFrom(key);
    return toolUsesOf(reply).flatMap(({ id: callId, name, input }): EntryBody[] => {
      const call = calls.get(callId);
      if (call?.state === 'finished') return [];
      const note = `permission:${callId}`;
      const isRepeated = isRenamed && call?.effect === 'idempotent';
      const started = {
        type: 'tool_started',
        callId,
        name,
        input,
        effect: 'non_idempotent',
        idempotencyKey: '',
      } as const;
      return [
        ...(notes.get(note) ? [entryOf(scope, { type: 'note', name: note, data: null })] : []),
        ...(isRepeated ? [entryOf(scope, started)] : []),
      ];
    });
  });
}

type RecordBody = Extract<EntryBody, { readonly type: 'record' }>;

function entryOf(scope: readonly string[], record: RecordBody['record']): RecordBody {
  return { type: 'record', scope, record };
}
