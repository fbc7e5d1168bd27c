import type { ModelRequest } from '@x/core';
import type { ServiceToolStep } from '@x/core/internal';
import type { DeltaQueue } from './delta-queue.ts';

/** Known facts of a call whose input is being received, unchecked. */
interface OpenCall {
  readonly id?: unknown;
  readonly name?: unknown;
}

/**
 * Tells the JSON of calls as it is received, and the steps of tools of the service, to requests that ask for it; not the call which gives
 * the answer.
 */
export class ToolInputTeller {
  readonly #events: DeltaQueue;
  readonly #finalTool: string | undefined;
  /** The ids of calls that were told, by the object that stands for them. */
  readonly #told = new Map<object, string>();
  /** Pieces of calls without an id or a name so far. */
  readonly #held = new Map<object, string>();

  constructor(events: DeltaQueue, finalTool: string | undefined) {
    this.#events = events;
    this.#finalTool = finalTool;
  }

  /** Undefined when the request does not ask for it. */
  static for(
    { tellsToolInput }: ModelRequest,
    events: DeltaQueue,
    finalTool?: { readonly name: string },
  ): ToolInputTeller | undefined {
    return tellsToolInput ? new ToolInputTeller(events, finalTool?.name) : undefined;
  }

  /** Tells a step of a tool of the service. */
  addStep(step: ServiceToolStep): void {
    this.#events.tell({ type: 'service_tool', ...step });
  }

  /** Adds a piece to the input of a call, which `key` stands for; an empty one announces it. */
  add(key: object, { id, name }: OpenCall, piece: string): void {
    let known = this.#told.get(key);
    if (known === undefined) {
      const held = (this.#held.get(key) ?? '') + piece;
      this.#held.set(key, held);
      if (typeof id !== 'string' || typeof name !== 'string' || id === '' || name === '') return;
      if (name === this.#finalTool) return;
      this.#held.delete(key);
      this.#told.set(key, (known = id));
      this.#events.tell({ type: 'tool_input_start', id, name });
      if (held !== '') this.#events.tell({ type: 'tool_input_delta', id, delta: held });
    } else if (piece !== '') this.#events.tell({ type: 'tool_input_delta', id: known, delta: piece });
  }
}
