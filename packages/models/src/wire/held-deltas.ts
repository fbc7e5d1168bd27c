import type { AssistantMessage } from '@x/core';
import type { DeltaEvent, DeltaQueue } from './delta-queue.ts';

/**
 * The deltas of a reply whose answer a tool gives. Text may turn out to be no part of the answer, so nothing that comes with it or
 * after it is told before the end; thoughts before it are.
 */
export class HeldDeltas {
  readonly #events: DeltaQueue;
  #holding = false;
  /** The length of the thoughts told so far. */
  #told = 0;

  constructor(events: DeltaQueue) {
    this.#events = events;
  }

  add(type: DeltaEvent['type'], delta: string): void {
    this.#holding ||= type === 'content';
    if (this.#holding) return;
    this.#told += delta.length;
    this.#events.add(type, delta);
  }

  /** Tells the rest of the content, now that it is known what of it is the answer. */
  tell(content: AssistantMessage['content']): void {
    let told = this.#told;
    for (const block of content) {
      if (block.type === 'text') this.#events.add('content', block.text);
      if (block.type !== 'thinking') continue;
      this.#events.add('thinking', block.text.slice(told));
      told = Math.max(0, told - block.text.length);
    }
  }
}
