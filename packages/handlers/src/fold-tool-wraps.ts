import {
  AbortError,
  type AgentEvent,
  type AgentHandler,
  type RunContext,
  type ToolCall,
  type ToolNext,
  type ToolResult,
  type ToolStream,
} from '@x/core';

type ToolWrap = NonNullable<AgentHandler['wrapToolCall']>;
type PromiseWrap = NonNullable<AgentHandler['wrapInvokableToolCall']>;

/**
 * The tool wraps of a handler as one. `wrapToolCall` wins; a narrow form alone is applied to both kinds of tools, so that no guard
 * is walked around because a tool streams or does not; with both the tool's `streaming` decides.
 */
export function toolWrapOf(handler: AgentHandler): ToolWrap | undefined {
  if (handler.wrapToolCall) return handler.wrapToolCall.bind(handler);
  const streamable = handler.wrapStreamableToolCall?.bind(handler);
  const invokable = handler.wrapInvokableToolCall?.bind(handler);
  if (!invokable) return streamable;
  const relayed = relay(invokable);
  if (!streamable) return relayed;
  return (call, next, run) => (call.tool?.streaming ? streamable(call, next, run) : relayed(call, next, run));
}

/** The name under which a handler has its tool wrap, for those who wrote it. */
export function toolMethodOf(handler: AgentHandler): string {
  if (handler.wrapToolCall) return 'wrapToolCall';
  const narrow = (['wrapInvokableToolCall', 'wrapStreamableToolCall'] as const).filter((method) => handler[method]);
  return narrow.join(' or ');
}

/** A promise-shaped wrap as a stream: inner events are handed through one at a time while the promise is pending. */
function relay(wrap: PromiseWrap): ToolWrap {
  return async function* relayed(call: ToolCall, next: ToolNext, run: RunContext): ToolStream {
    const handover = new Handover();
    let ended = false;
    // Async, so that a throw or a plain value is an outcome too.
    const outcome = (async () => wrap(call, (changed) => handover.pump(next(changed)), run))().finally(() =>
      handover.finish(),
    );
    outcome.catch(() => undefined); // read below, unless the reader leaves first
    try {
      for (;;) {
        const event = await handover.take();
        if (!event) break;
        yield event;
      }
      ended = true;
      return await outcome;
    } finally {
      // A wrap that has settled waits for nothing it may have left running; a reader that leaves does.
      const abandoned = handover.abandon();
      if (!ended) await abandoned;
    }
  };
}

/** One event at a time from the pumping side to the reading side; the pump waits until its event was taken. */
class Handover {
  #event: AgentEvent | undefined;
  #finished = false;
  #abandoned = false;
  #wakeReader: (() => void) | undefined;
  #wakePumps = new Set<() => void>();
  readonly #streams = new Set<ToolStream>();

  async pump(stream: ToolStream): Promise<ToolResult> {
    this.#streams.add(stream);
    try {
      for (;;) {
        if (this.#abandoned) throw new AbortError('Nobody waits for this call any more');
        const step = await stream.next();
        if (!step.done) await this.#give(step.value);
        else if (!this.#abandoned) return step.value;
      }
    } finally {
      this.#streams.delete(stream);
    }
  }

  /** The next event; undefined when the wrap has settled. */
  async take(): Promise<AgentEvent | undefined> {
    while (!this.#event && !this.#finished) {
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
    const event = this.#event;
    this.#event = undefined;
    this.#free();
    return event;
  }

  finish(): void {
    this.#finished = true;
    this.#wakeReader?.();
  }

  /** The reader has left: what still runs is ended, nothing waits for a reader or is started any more. Never rejects. */
  async abandon(): Promise<void> {
    this.#abandoned = true;
    this.#free();
    await Promise.allSettled([...this.#streams].map((stream) => stream.return(undefined as never)));
  }

  async #give(event: AgentEvent): Promise<void> {
    while (this.#event && !this.#abandoned) await this.#room();
    if (this.#abandoned) return;
    this.#event = event;
    this.#wakeReader?.();
    while (this.#event === event && !this.#abandoned) await this.#room();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => this.#wakePumps.add(resolve));
  }

  #free(): void {
    const pumps = this.#wakePumps;
    this.#wakePumps = new Set();
    for (const wake of pumps) wake();
  }
}
