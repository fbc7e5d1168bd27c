import { type AgentEvent, type Message, type RunContext, type UserMessage } from '@x/core';
import { frozen, messageFacts } from '@x/core/internal';
import { addedNote } from './added-input.ts';
import type { AskedOptions } from './asked-options.ts';
import type { RunOptions } from './run-options.ts';

/** Adds user messages to the conversation: judged, recorded, then emitted. */
export async function* admit(
  waiting: readonly UserMessage[],
  before: readonly Message[],
  { options, asked }: { readonly options: RunOptions; readonly asked: AskedOptions },
): AsyncGenerator<AgentEvent, readonly Message[], void> {
  const { pipeline, run } = options;
  let messages = before;
  for (const item of waiting) {
    const judged = pipeline.userMessage(frozen(item), run);
    const changed = await judged.catch((reason: unknown) => refuseMessage(item, reason, run));
    if (!changed) return messages;
    const message = frozen(withOptionsOf(item, changed));
    // The record also removes it from the inbox, in the same step.
    await run.journal.write({ type: 'message', message }, ...addedNote(item, options), ...asked.add(message));
    messages = [...messages, message];
    for (const event of run.takeEmitted()) yield event;
    yield { type: 'user_message', ...messageFacts(message) };
  }
  return messages;
}

/**
 * Removes a refused message from the inbox, so that it does not come back with every run. A run that was stopped in the meantime has not
 * judged it: then it stays. @throws the reason
 */
async function refuseMessage(message: UserMessage, reason: unknown, run: RunContext): Promise<undefined> {
  if (run.signal.aborted) return undefined;
  await run.journal.write({ type: 'note', name: 'message_refused', data: { messageId: message.id } });
  throw reason;
}

/** Removes messages that handlers took out of the input from the inbox, so that they do not come back with every run. */
export async function leaveOut(
  given: readonly UserMessage[],
  kept: readonly UserMessage[],
  run: RunContext,
): Promise<void> {
  const ids = new Set(kept.map(({ id }) => id));
  const left = given.filter(({ id }) => !ids.has(id));
  const notes = left.map(({ id }) => ({ type: 'note', name: 'message_refused', data: { messageId: id } }) as const);
  if (notes.length > 0) await run.journal.write(...notes);
}

/** A handler that returns another message changes what it says, not what it asks of the model. */
function withOptionsOf({ modelOptions }: UserMessage, changed: UserMessage): UserMessage {
  return modelOptions === undefined || changed.modelOptions ? changed : { ...changed, modelOptions };
}
