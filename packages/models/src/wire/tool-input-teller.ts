import type { ModelRequest, Tool } from '@x/core';
import type { ServiceToolStep } from '@x/core/internal';
import { displayIn } from './computer-calls.ts';
import type { DeltaQueue } from './delta-queue.ts';

/** Known facts of a call whose input is being received, unchecked. */
interface OpenCall {
  readonly id?: unknown;
  readonly name?: unknown;
}

/**
 * Tells the JSON of calls as it is received, and the steps of tools of the service, to requests that ask for it; not the call which gives
 * the answer, nor those of computer use.
 */
export class ToolInputTeller {
  readonly #events: DeltaQueue;
  readonly #finalTool: string | undefined;
  /** The ids of calls that were told, by the object that stands for them. */
  readonly #told = new Map<object, string>();
  /** Pieces of calls without an id or a name so far. */
  readonly #held = new Map<object, string>();

  readonly #tools: readonly Tool[];

  constructor(events: DeltaQueue, finalTool: string | undefined, tools: readonly Tool[] = []) {
    this.#events = events;
    this.#finalTool = finalTool;
    this.#tools = tools;
  }

  /** Undefined when the request does not ask for it. */
  static for(
    { tellsToolInput, tools }: ModelRequest,
    events: DeltaQueue,
    finalTool?: { readonly name: string },
  ): ToolInputTeller | undefined {
    return tellsToolInput ? new ToolInputTeller(events, finalTool?.name, tools) : undefined;
  }

  /** Tells a step of a tool of the service. */
  addStep(step: ServiceToolStep): void {
    this.#events.tell({ type: 'service_tool', ...step });
  }

  /** True for a call of computer use, whose pieces are in the words of its service: it is told once it is read. */
  #isOfComputer(name: string): boolean {
    const tool = this.#tools.find((one) => one.name === name);
    return tool ? tool.computer !== undefined : displayIn(this.#tools) !== undefined;
  }

  /** Adds a piece to the input of a call, which `key` stands for; an empty one announces it. */
  add(key: object, { id, name }: OpenCall, piece: string): void {
    let known = this.#told.get(key);
    if (known === undefined) {
      const held = (this.#held.get(key) ?? '') + piece;
      this.#held.set(key, held);
      if (typeof id !== 'string' || typeof name !== 'string' || id === '' || name === '') return;
      if (name === this.#finalTool || this.#isOfComputer(name)) return;
      this.#held.delete(key);
      this.#told.set(key, (known = id));
      this.#events.tell({ type: 'tool_input_start', id, name });
      if (held !== '') this.#events.tell({ type: 'tool_input_delta', id, delta: held });
    } else if (piece !== '') this.#events.tell({ type: 'tool_input_delta', id: known, delta: piece });
  }
}
