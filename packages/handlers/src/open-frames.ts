import type { AgentEvent } from '@x/core';
import { notRun, unknownEffect } from '@x/core/internal';

/** Frames that a reader has seen begin and not end: the turn, and the calls in it. */
export class OpenFrames {
  #turn: number | undefined;
  readonly #calls = new Map<string, { readonly name: string; started: boolean }>();

  /** Records an event that the reader gets. */
  note(event: AgentEvent): void {
    if (event.type === 'turn_start') this.#turn = event.turn;
    else if (event.type === 'turn_end') this.#turn = undefined;
    else if (event.type === 'tool_use') this.#calls.set(event.id, { name: event.name, started: false });
    else if (event.type === 'tool_result') this.#calls.delete(event.id);
    else if (event.type === 'tool_started') {
      const call = this.#calls.get(event.id);
      if (call) call.started = true;
    }
  }

  /** The events that close them: an answer for each call, then the end of the turn. */
  closing(): AgentEvent[] {
    const answers = [...this.#calls].map(([id, { name, started }]): AgentEvent => {
      const { output, isError } = started ? unknownEffect(name) : notRun(name);
      return { type: 'tool_result', id, name, output, isError };
    });
    return this.#turn === undefined ? answers : [...answers, { type: 'turn_end', turn: this.#turn }];
  }
}
