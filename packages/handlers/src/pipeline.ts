import type {
  AgentConfig,
  AgentEvent,
  AgentHandler,
  AnswerVerdict,
  AssistantMessage,
  Message,
  ModelNext,
  ModelRequest,
  ModelStream,
  RunAnswer,
  RunContext,
  RunEnd,
  ToolCall,
  ToolNext,
  ToolResult,
  ToolStream,
  UserMessage,
} from '@x/core';
import { failureFacts, isUserMessage } from '@x/core/internal';
import { flattened, forwarded, inner, type Nested } from '@x/core/streams';
import { checkHandler } from './check-handler.ts';
import { toolMethodOf, toolWrapOf } from './fold-tool-wraps.ts';
import { broken, checkResult, generatorOf, thrownBy } from './handler-fault.ts';
import { OpenFrames } from './open-frames.ts';
import { isOwnHandler } from './own-handler.ts';
import { checkDistinctTools, passedConfig } from './pipeline-config.ts';
import { eventForObserver } from './pipeline-event.ts';

interface Wrap<Work extends 'wrapModelCall' | 'wrapToolCall'> {
  readonly around: NonNullable<AgentHandler[Work]>;
  readonly handler: AgentHandler;
  /** The method name in the handler. */
  readonly method: string;
}
type Rewriter = 'beforeModelRewriteHistory' | 'afterModelRewriteHistory';

/**
 * The handlers of an agent as one: rewriters in list order, wraps as an onion with the first handler outermost, observers after. The list
 * is copied. An error of any handler passes to the caller; no later handler runs.
 */
export class Pipeline {
  readonly handlers: readonly AgentHandler[];
  readonly #modelWraps: readonly Wrap<'wrapModelCall'>[];
  readonly #toolWraps: readonly Wrap<'wrapToolCall'>[];
  readonly #observers: readonly AgentHandler[];
  readonly #enders: readonly AgentHandler[];

  /** @throws ValidationError when an item is not a handler, or has a hook that would never be called */
  constructor(handlers: readonly AgentHandler[]) {
    this.handlers = [...handlers];
    for (const handler of this.handlers) if (!isOwnHandler(handler)) checkHandler(handler);
    this.#modelWraps = this.handlers.flatMap((handler) => {
      const around = handler.wrapModelCall?.bind(handler);
      return around ? [{ around, handler, method: 'wrapModelCall' }] : [];
    });
    this.#toolWraps = this.handlers.flatMap((handler) => {
      const around = toolWrapOf(handler);
      return around ? [{ around, handler, method: toolMethodOf(handler) }] : [];
    });
    this.#observers = this.handlers.filter((one) => one.onEvent);
    this.#enders = this.handlers.filter((one) => one.runEnded);
  }

  /** Passes each handler a copy of the config that the one before has left, so that no run shares a config or a list with another. */
  async beforeAgent(config: AgentConfig, run: RunContext): Promise<AgentConfig> {
    const left = await passedConfig(config, this.handlers, run);
    checkDistinctTools(left);
    return left;
  }

  /** Keeps the id, whatever a handler makes of the message: the inbox and the reader know it by that. */
  async userMessage(message: UserMessage, run: RunContext): Promise<UserMessage> {
    let current = message;
    for (const handler of this.handlers) {
      try {
        current = (await handler.beforeUserMessage?.(current, run)) ?? current;
      } catch (error) {
        throw thrownBy(handler, 'beforeUserMessage', error);
      }
      if (!isUserMessage(current, message.id))
        throw broken('beforeUserMessage', handler, 'return a whole user message, or nothing');
    }
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
    for (const handler of this.handlers) {
      let added: unknown;
      try {
        added = (await handler.afterAgent?.(messages, run)) ?? [];
      } catch (error) {
        throw thrownBy(handler, 'afterAgent', error);
      }
      if (!Array.isArray(added) || !added.every((one) => isUserMessage(one))) {
        throw broken(
          'afterAgent',
          handler,
          'return a list of whole user messages, as userMessage() makes them, or nothing',
        );
      }
      more.push(...added);
    }
    return more;
  }

  /** True when a handler judges answers. */
  get checksAnswers(): boolean {
    return this.handlers.some((one) => one.checkAnswer);
  }

  /** The answer as the handlers leave it, or the user messages with which the first handler that asks for it starts another turn. */
  async checkAnswer(answer: RunAnswer, run: RunContext): Promise<RunAnswer | readonly UserMessage[]> {
    let current = answer;
    for (const handler of this.handlers) {
      const { again, ...changed } = verdictOf(await handler.checkAnswer?.(current, run), handler);
      if (again && again.length > 0) return again;
      current = { ...current, ...changed };
    }
    return current;
  }

  /** Runs `model` inside all model wraps. */
  callModel(request: ModelRequest, model: ModelNext, run: RunContext): ModelStream {
    let next = model;
    for (let index = this.#modelWraps.length - 1; index >= 0; index--) {
      const wrap = this.#modelWraps[index]!;
      const within = next;
      next = (changed) => generatorOf(wrap.around(changed, within, run), wrap, 'request');
    }
    if (next === model) return next(request);
    const end = (reply: AssistantMessage) => (this.#checkReply(reply), reply);
    return forwarded(() => next(request), { end });
  }

  /** Runs `tool` inside all tool wraps. */
  callTool(call: ToolCall, tool: ToolNext, run: RunContext): ToolStream {
    let next = tool;
    for (let index = this.#toolWraps.length - 1; index >= 0; index--) {
      const wrap = this.#toolWraps[index]!;
      const within = next;
      if (isOwnHandler(wrap.handler)) {
        next = (changed) => wrap.around(changed, within, run);
        continue;
      }
      const end = (result: ToolResult) => (checkResult(result, wrap), result);
      next = (changed) => {
        const stream = generatorOf(wrap.around(changed, within, run), wrap, 'call');
        return forwarded(() => stream, { end });
      };
    }
    return next(call);
  }

  /**
   * The same run; each event is passed to the observers before it is yielded, and its end to `runEnded`. Returns the stream itself when
   * there are none.
   */
  observe<R>(stream: AsyncGenerator<AgentEvent, R, void>, run: RunContext): AsyncGenerator<AgentEvent, R, void> {
    const seen = this.#observers.length === 0 ? stream : this.#watched(stream, run);
    return this.#enders.length === 0 ? seen : flattened(this.#ended(seen, run));
  }

  /** Passes one event to the observers, to each its own copy. */
  async notify(event: AgentEvent, run: RunContext): Promise<void> {
    for (const observer of this.#observers) await observer.onEvent?.(eventForObserver(event), run);
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

  async *#ended<R>(stream: AsyncGenerator<AgentEvent, R, void>, run: RunContext): Nested<AgentEvent, R> {
    let end: RunEnd = { subtype: 'aborted' }; // unless something else is known, the reader has left
    try {
      const whole = inner(stream);
      yield whole;
      end = { subtype: subtypeOf(whole.result) };
      return whole.result;
    } catch (failure) {
      end = { subtype: 'error', failure, error: failureFacts(failure) };
      throw failure;
    } finally {
      await this.runEnded(end, run);
    }
  }

  /** Calls `runEnded` of every handler. `observe` does it; when only `beforeAgent` was called for a run, the caller does. */
  async runEnded(end: RunEnd, run: RunContext): Promise<void> {
    const failures: unknown[] = [];
    for (const handler of this.#enders) {
      try {
        await handler.runEnded?.(end, run);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0 && end.subtype !== 'error') throw failures[0];
  }

  /** Checks that the wraps have returned a reply: a forgotten `return` must not pass for an empty one. */
  #checkReply(reply: AssistantMessage | undefined): void {
    if (reply?.role === 'assistant' && Array.isArray(reply.content)) return;
    const names = this.handlers.filter((one) => one.wrapModelCall).map(({ name }) => name);
    throw broken('wrapModelCall', { name: names.join(' or ') }, 'return the reply: return yield* next(request)');
  }

  async #rewrite(method: Rewriter, messages: readonly Message[], run: RunContext): Promise<readonly Message[]> {
    let current = messages;
    for (const handler of this.handlers) {
      if (!handler[method]) continue;
      try {
        current = await handler[method](current, run);
      } catch (error) {
        throw thrownBy(handler, method, error);
      }
      if (Array.isArray(current)) continue;
      throw broken(method, handler, 'return the messages'); // a forgotten `return` must not erase the history
    }
    return current;
  }
}

/** The end of the run, from the result of `runAgent`. */
function subtypeOf(value: unknown): RunEnd['subtype'] {
  return (value as { readonly subtype?: RunEnd['subtype'] } | null | undefined)?.subtype ?? 'success';
}

/** Copies only the fields of a verdict: a handler cannot change the messages through it. */
function verdictOf(left: unknown, handler: AgentHandler): AnswerVerdict {
  const verdict = (left ?? {}) as AnswerVerdict; // each field is checked below
  const { again, content } = verdict;
  const isList = again === undefined || (Array.isArray(again) && again.every((one) => isUserMessage(one)));
  if (typeof verdict !== 'object' || !isList || (content !== undefined && typeof content !== 'string')) {
    throw broken('checkAnswer', handler, 'return { again, content, structured }, or nothing');
  }
  return {
    ...(again ? { again } : {}),
    ...(content === undefined ? {} : { content }),
    ...(Object.hasOwn(verdict, 'structured') ? { structured: verdict.structured } : {}),
  };
}
