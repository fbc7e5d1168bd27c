import type { ContentMessage, ThinkingMessage } from '@x/core';

/** Events during a reply. */
export type DeltaEvent = ContentMessage | ThinkingMessage;

const NONE: readonly DeltaEvent[] = [];

/** Events that wait to be read; successive text of one kind becomes one event. */
export class DeltaQueue {
  #events: DeltaEvent[] = [];

  add(type: DeltaEvent['type'], delta: string): void {
    if (delta === '') return;
    const last = this.#events.at(-1);
    if (last?.type === type) last.delta += delta;
    else this.#events.push({ type, delta });
  }

  take(): readonly DeltaEvent[] {
    if (this.#events.length === 0) return NONE;
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
