import { type Message, toolUsesOf } from '@x/core';

/**
 * What no provider takes: a call that is not answered directly behind its reply, once and in its place; a result without a call; an
 * id that is there twice; a message without content. And what would be a lie: a result that is not the recorded one.
 */
export function faultsInView(messages: readonly Message[], recorded: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  messages.forEach((message, index) => {
    if (ids.has(message.id)) faults.push(`two messages have the id ${message.id}`);
    ids.add(message.id);
    if (message.content.length === 0) faults.push(`message ${index} (${message.role}) is empty`);
    if (message.role === 'assistant') faults.push(...unanswered(toolUsesOf(message), messages[index + 1]));
    if (message.role !== 'tool') return;
    if (messages[index - 1]?.role !== 'assistant') faults.push(`message ${index} answers nothing`);
    for (const { toolUseId, output } of message.content) {
      if ((recorded.get(toolUseId) ?? output) !== output)
        faults.push(`the result of ${toolUseId} is not the recorded one`);
    }
  });
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolUsesOf(message) : []));
  if (new Set(calls.map(({ id }) => id)).size !== calls.length) faults.push('two calls have the same id');
  return faults;
}

function unanswered(uses: readonly { readonly id: string }[], next: Message | undefined): string[] {
  const asked = uses.map(({ id }) => id).join();
  const answered = next?.role === 'tool' ? next.content.map(({ toolUseId }) => toolUseId).join() : '';
  return asked === answered ? [] : [`asked ${asked}, answered ${answered}`];
}
