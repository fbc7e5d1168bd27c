import {
  type AgentConfig,
  AgentError,
  type AgentEvent,
  type AgentHandler,
  type Message,
  type ModelNext,
  type ModelRequest,
  type ModelStream,
  type RunContext,
  type ToolCall,
  type ToolNext,
  type ToolStream,
  type UserMessage,
  ValidationError,
} from '@x/core';
import { toolWrapOf } from './fold-tool-wraps.ts';
import { OpenFrames } from './open-frames.ts';

type ModelWrap = NonNullable<AgentHandler['wrapModelCall']>;
type ToolWrap = NonNullable<AgentHandler['wrapToolCall']>;
type Rewriter = 'beforeModelRewriteHistory' | 'afterModelRewriteHistory';

/**
 * The handlers of an agent as one: rewriters in list order, wraps as an onion with the first handler outermost, observers after.
 * The list is copied. An error of any handler goes on to the caller; no later handler runs.
 */
export class Pipeline {
  readonly handlers: readonly AgentHandler[];
  readonly #modelWraps: readonly ModelWrap[];
  readonly #toolWraps: readonly ToolWrap[];
  readonly #observers: readonly AgentHandler[];

  /** @throws ValidationError when something in the list is not a handler */
  constructor(handlers: readonly AgentHandler[]) {
    for (const handler of handlers) {
      if (typeof handler?.name !== 'string') throw new ValidationError('A handler needs a name', 'handlers');
    }
    this.handlers = [...handlers];
    this.#modelWraps = this.handlers.flatMap((one) => (one.wrapModelCall ? [one.wrapModelCall.bind(one)] : []));
    this.#toolWraps = this.handlers.flatMap((one) => toolWrapOf(one) ?? []);
    this.#observers = this.handlers.filter((one) => one.onEvent);
  }

  async beforeAgent(config: AgentConfig, run: RunContext): Promise<AgentConfig> {
    let current = config;
    for (const handler of this.handlers) current = (await handler.beforeAgent?.(current, run)) ?? current;
    checkTools(current);
    return current;
  }

  /** The id stays, whatever a handler makes of the message: the inbox and the reader know it by that. */
  async userMessage(message: UserMessage, run: RunContext): Promise<UserMessage> {
    let current = message;
    for (const handler of this.handlers) current = (await handler.beforeUserMessage?.(current, run)) ?? current;
    return current.id === message.id ? current : { ...current, id: message.id };
  }

  beforeModel(messages: readonly Message[], run: RunContext): Promise<readonly Message[]> {
    return this.#rewrite('beforeModelRewriteHistory', messages, run);
  }

  afterModel(messages: readonly Message[], run: RunContext): Promise<readonly Message[]> {
    return this.#rewrite('afterModelRewriteHistory', messages, run);
  }

  /** The user messages that start another turn, of all handlers. */
  async afterAgent(messages: readonly Message[], run: RunContext): Promise<readonly UserMessage[]> {
    const more: UserMessage[] = [];
    for (const handler of this.handlers) more.push(...((await handler.afterAgent?.(messages, run)) ?? []));
    return more;
  }

  /** `model` inside all the model wraps. */
  callModel(request: ModelRequest, model: ModelNext, run: RunContext): ModelStream {
    let next = model;
    for (let index = this.#modelWraps.length - 1; index >= 0; index--) {
      const wrap = this.#modelWraps[index]!;
      const inner = next;
      next = (changed) => wrap(changed, inner, run);
    }
    return next(request);
  }

  /** `tool` inside all the tool wraps. */
  callTool(call: ToolCall, tool: ToolNext, run: RunContext): ToolStream {
    let next = tool;
    for (let index = this.#toolWraps.length - 1; index >= 0; index--) {
      const wrap = this.#toolWraps[index]!;
      const inner = next;
      next = (changed) => wrap(changed, inner, run);
    }
    return next(call);
  }

  /** The same stream, each event shown to the observers before it is yielded; the stream itself when nobody observes. */
  observe<R>(stream: AsyncGenerator<AgentEvent, R, void>, run: RunContext): AsyncGenerator<AgentEvent, R, void> {
    return this.#observers.length === 0 ? stream : this.#watched(stream, run);
  }

  /** Shows one event to the observers. */
  async notify(event: AgentEvent, run: RunContext): Promise<void> {
    for (const observer of this.#observers) await observer.onEvent?.(event, run);
  }

  async *#watched<R>(
    stream: AsyncGenerator<AgentEvent, R, void>,
    run: RunContext,
  ): AsyncGenerator<AgentEvent, R, void> {
    const frames = new OpenFrames();
    let ended = false;
    try {
      for (;;) {
        const step = await stream.next();
        if (step.done) {
          ended = true;
          return step.value;
        }
        try {
          await this.notify(step.value, run);
        } catch (error) {
          ended = true;
          await stream.return(undefined as never);
          yield* frames.closing(); // the reader sees every turn and call end that it has seen begin
          throw error;
        }
        frames.note(step.value);
        yield step.value;
      }
    } finally {
      if (!ended) await stream.return(undefined as never);
    }
  }

  async #rewrite(method: Rewriter, messages: readonly Message[], run: RunContext): Promise<readonly Message[]> {
    let current = messages;
    for (const handler of this.handlers) {
      if (!handler[method]) continue;
      current = await handler[method](current, run);
      if (Array.isArray(current)) continue;
      // A forgotten `return` must not erase the history.
      throw new AgentError(`${method} of handler ${handler.name} must return the messages`, { code: 'HANDLER_ERROR' });
    }
    return current;
  }
}

function checkTools({ tools }: AgentConfig): void {
  const names = new Set<string>();
  for (const { tool } of tools) {
    if (names.has(tool.name)) {
      throw new ValidationError(`Two tools are named ${tool.name}; remove one, or replace it`, 'tools');
    }
    names.add(tool.name);
  }
}
