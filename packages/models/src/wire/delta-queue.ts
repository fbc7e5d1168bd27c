import type { AgentEvent, ContentMessage, ThinkingMessage } from '@x/core';

type SpokenEvent = ContentMessage | ThinkingMessage;
/** Events about the input of a call, or a tool of the service. */
export type ToolInputEvent = Extract<AgentEvent, { type: 'tool_input_start' | 'tool_input_delta' | 'service_tool' }>;
/** Events during a reply. */
export type DeltaEvent = SpokenEvent | ToolInputEvent;

const NONE: readonly DeltaEvent[] = [];

/** Events that wait to be read; successive text of one kind becomes one event. */
export class DeltaQueue {
  #events: DeltaEvent[] = [];

  add(type: SpokenEvent['type'], delta: string): void {
    if (delta === '') return;
    const last = this.#events.at(-1);
    if (last?.type === type) last.delta += delta;
    else this.#events.push({ type, delta });
  }

  /** Successive pieces of one input become one event too. */
  tell(event: ToolInputEvent): void {
    const last = this.#events.at(-1);
    const continues = event.type === 'tool_input_delta' && last?.type === event.type && last.id === event.id;
    if (continues) last.delta += event.delta;
    else this.#events.push(event);
  }

  take(): readonly DeltaEvent[] {
    if (this.#events.length === 0) return NONE;
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
