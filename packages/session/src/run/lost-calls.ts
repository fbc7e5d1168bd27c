import type { Message, Model, TokenUsage } from '@x/core';
import type { ScopeState } from '@x/core/internal';
import { isObeyed } from '../commands/obey-commands.ts';
import type { EntryBody } from '../log/entry.ts';
import { type SessionState, scopeFrom, scopeOf } from '../log/fold.ts';

/** An open run whose process did not end in good order. */
export interface LostRun {
  /** Used for scopes without a reply that names its model. */
  readonly model: Pick<Model, 'provider' | 'name'>;
  /** The first thing the run still has to do: a message, or a command that asks for a summary. */
  readonly waiting?: 'message' | 'command' | undefined;
}

/**
 * Usage notes for the model calls that were under way when the owner of an open run ended: their replies are lost. The log does not say
 * whether the request had been sent, so each counts as paid, as an estimate.
 */
export function lostCalls(state: SessionState, { model, waiting }: LostRun): EntryBody[] {
  if (waiting === 'message') return [];
  const own = scopeOf(state, []);
  if (waiting === 'command') return [lostCall([], own, { model, purpose: 'compaction' })];
  return [...state.scopes].flatMap(([key, scope]) => {
    const awaitsReply = !scope.calls && ['user', 'tool'].includes(scope.messages.at(-1)?.role ?? '');
    if (!awaitsReply || (scope === own && isObeyed(scope))) return [];
    return [lostCall(scopeFrom(key), scope, { model, purpose: 'lost' })];
  });
}

function lostCall(
  scope: readonly string[],
  { messages }: ScopeState,
  { model, purpose }: Pick<LostRun, 'model'> & { readonly purpose: string },
): EntryBody {
  const reply = messages.findLast((message) => message.role === 'assistant');
  const by = { provider: reply?.provider ?? model.provider, model: reply?.model ?? model.name };
  const data = { ...by, usage: estimatedUsage(messages), purpose };
  return { type: 'record', scope, record: { type: 'note', name: 'usage', data } };
}

/** The usage of the last reply, an estimate of what came after it, and as much output as that reply had. */
function estimatedUsage(messages: readonly Message[]): TokenUsage {
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const last = messages[index];
  const before = last?.role === 'assistant' ? last.usage : { inputTokens: 0, outputTokens: 0 };
  const characters = JSON.stringify(messages.slice(index + 1)).length;
  const inputTokens = before.inputTokens + before.outputTokens + Math.ceil(characters / 4);
  const { outputTokens } = before;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}
