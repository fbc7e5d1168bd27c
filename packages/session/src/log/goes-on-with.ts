import type { InboxItem } from './session-store.ts';

/** True when a run that waits for answers has something to do with what waits in its inbox. */
export function goesOnWith(items: readonly InboxItem[]): boolean {
  return items.some(({ answer, priority }) => answer !== undefined || priority === 'now');
}
