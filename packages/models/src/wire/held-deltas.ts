import type { AssistantMessage } from '@x/core';
import type { DeltaQueue } from './delta-queue.ts';

/**
 * The deltas of a reply whose answer a tool gives. Text may turn out not to be part of the answer, so it is held back until the end, with
 * everything after it; earlier thoughts are not.
 */
export class HeldDeltas {
  readonly #events: DeltaQueue;
  #holding = false;
  /** The length of the thoughts emitted so far. */
  #told = 0;

  constructor(events: DeltaQueue) {
    this.#events = events;
  }

  add(type: 'content' | 'thinking', delta: string): void {
    this.#holding ||= type === 'content';
    if (this.#holding) return;
    this.#told += delta.length;
    this.#events.add(type, delta);
  }

  /** Emits the rest of the content, now that the answer is known. */
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
