import { toolUsesOf } from '@x/core';
import { notRun, unknownEffect } from '@x/core/internal';
import type { EntryBody } from './entry.ts';
import { type SessionState, scopeFrom } from './fold.ts';

/** Answers for all open calls, those of subagents first: not run, or effect not known. */
export function answersForOpenCalls(state: SessionState): EntryBody[] {
  const deepestFirst = [...state.scopes]
    .map(([key, own]) => ({ scope: scopeFrom(key), own }))
    .toSorted((one, other) => other.scope.length - one.scope.length);
  return deepestFirst.flatMap(({ scope, own: { messages, calls } }) => {
    const reply = messages.at(-1);
    if (!calls || reply?.role !== 'assistant') return [];
    const open = toolUsesOf(reply).filter((use) => calls.get(use.id)?.state !== 'finished');
    return open.map(({ id, name }): EntryBody => {
      const call = calls.get(id);
      const result = call?.state === 'started' ? unknownEffect(name, call.commands) : notRun(name);
      return { type: 'record', scope, record: { type: 'tool_finished', callId: id, result, durationMs: 0 } };
    });
  });
}
