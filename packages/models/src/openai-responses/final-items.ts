import { type Fields, partsOf, recordsOf, textOfPart } from './carried-item.ts';
import { hasPicture } from './image-calls.ts';
import { argumentsOf, isCall } from './reply-blocks.ts';

/**
 * The items of a response that has ended: those listed in its last event, unless they contain less than the streamed ones, as on servers
 * that leave the list empty.
 */
export function finalItems(listed: unknown, streamed: readonly Fields[]): readonly Fields[] {
  const items = recordsOf(listed);
  if (items.length === 0 || saysLess(items, streamed)) return streamed;
  return withStreamedSecrets(items, streamed);
}

function saysLess(items: readonly Fields[], streamed: readonly Fields[]): boolean {
  const [listed, heard] = [weightOf(items), weightOf(streamed)];
  return (
    listed.calls < heard.calls ||
    listed.pictures < heard.pictures ||
    (listed.text === 0 && heard.text > 0) ||
    (listed.arguments === 0 && heard.arguments > 0)
  );
}

function weightOf(items: readonly Fields[]): { calls: number; pictures: number; text: number; arguments: number } {
  const weight = { calls: 0, pictures: 0, text: 0, arguments: 0 };
  for (const item of items) {
    if (hasPicture(item)) weight.pictures++;
    if (item['type'] === 'message') for (const part of partsOf(item, 'content')) weight.text += textOfPart(part).length;
    if (!isCall(item)) continue;
    weight.calls++;
    weight.arguments += argumentsOf(item).length;
  }
  return weight;
}

/** Takes encrypted reasoning, and the id it is bound to, from the event that ended its item: these the service expects back. */
function withStreamedSecrets(items: readonly Fields[], streamed: readonly Fields[]): readonly Fields[] {
  const sealed = streamed.filter(isReasoning);
  if (sealed.length !== items.filter(isReasoning).length) return items;
  let next = 0;
  return items.map((item) => {
    if (!isReasoning(item)) return item;
    const { id = item['id'], encrypted_content } = sealed[next++] ?? {};
    return typeof encrypted_content === 'string' && encrypted_content !== ''
      ? { ...item, id, encrypted_content }
      : item;
  });
}

function isReasoning(item: Fields): boolean {
  return item['type'] === 'reasoning';
}
