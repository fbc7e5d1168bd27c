import {
  type AgentConfig,
  type AgentHandler,
  type Message,
  type RunContext,
  type ToolCall,
  type ToolNext,
  type ToolResult,
  type ToolStream,
  ValidationError,
} from '@x/core';
import type { InvokableToolEndpoint } from './middleware.ts';

type NarrowWrap = 'wrapInvokableToolCall' | 'wrapStreamableToolCall';

/**
 * A handler as a base class: methods that do nothing, to be overridden. A class that overrides one of the two tool wraps has it applied to
 * tools of both kinds; the other one then reads as absent.
 */
export class BaseAgentHandler implements AgentHandler {
  readonly name: string;

  static {
    onlyWithout(this.prototype, 'wrapInvokableToolCall', 'wrapStreamableToolCall');
    onlyWithout(this.prototype, 'wrapStreamableToolCall', 'wrapInvokableToolCall');
  }

  /** @throws ValidationError without a name */
  constructor(name: string) {
    if (typeof name !== 'string') throw new ValidationError('A handler needs a name', 'name');
    this.name = name;
  }

  beforeAgent(config: AgentConfig, _run: RunContext): AgentConfig | void | Promise<AgentConfig | void> {
    return config;
  }

  beforeModelRewriteHistory(
    messages: readonly Message[],
    _run: RunContext,
  ): readonly Message[] | Promise<readonly Message[]> {
    return messages;
  }

  afterModelRewriteHistory(
    messages: readonly Message[],
    _run: RunContext,
  ): readonly Message[] | Promise<readonly Message[]> {
    return messages;
  }

  wrapInvokableToolCall(call: ToolCall, next: InvokableToolEndpoint, _run: RunContext): Promise<ToolResult> {
    return next(call);
  }

  wrapStreamableToolCall(call: ToolCall, next: ToolNext, _run: RunContext): ToolStream {
    return next(call);
  }
}

/** Makes a do-nothing wrap read as absent when the other one is overridden: a guard must not be bypassed by the kind of a tool. */
function onlyWithout(prototype: BaseAgentHandler, wrap: NarrowWrap, other: NarrowWrap): void {
  const doesNothing: unknown = Object.getOwnPropertyDescriptor(prototype, wrap)?.value;
  const overrides = (handler: object, method: NarrowWrap): boolean => {
    for (let link: object | null = handler; link && link !== prototype; link = Object.getPrototypeOf(link) as object) {
      if (Object.hasOwn(link, method)) return true;
    }
    return false;
  };
  Object.defineProperty(prototype, wrap, {
    configurable: true,
    get(this: object) {
      return overrides(this, other) && !overrides(this, wrap) ? undefined : doesNothing;
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, wrap, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}
