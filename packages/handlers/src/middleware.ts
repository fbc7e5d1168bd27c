import type { AgentHandler, Message, RunContext, Tool, ToolCall, ToolNext, ToolResult } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { checkMethodNames } from './check-handler.ts';
import { appended, checkTools } from './with.ts';

type Awaitable<T> = T | Promise<T>;

/** State that a middleware may change around a model call: replace the list `messages`, or change it in place. */
export interface ChatModelAgentState {
  messages: Message[];
}
/** The `next` of a legacy wrap, and its result. */
export type InvokableToolEndpoint = (call: ToolCall) => Promise<ToolResult>;
/** Each function gets the endpoint inside and returns the wrapped one. */
export interface ToolMiddleware {
  /** For tools that do not stream; for all tools without `streamable`. */
  readonly invokable?: (next: InvokableToolEndpoint, run: RunContext) => InvokableToolEndpoint;
  /** For tools that stream; for all tools without `invokable`. */
  readonly streamable?: (next: ToolNext, run: RunContext) => ToolNext;
}
/** The older form of a handler: a record of fields. */
export interface AgentMiddleware {
  /** Appended to the instruction, after a line feed. */
  readonly additionalInstruction?: string;
  readonly additionalTools?: readonly Tool[];
  readonly beforeChatModel?: (state: ChatModelAgentState, run: RunContext) => Awaitable<void>;
  readonly afterChatModel?: (state: ChatModelAgentState, run: RunContext) => Awaitable<void>;
  readonly wrapToolCall?: ToolMiddleware;
}

const MIDDLEWARE: OptionRules<AgentMiddleware> = {
  additionalInstruction: is.text,
  additionalTools: is.anything, // `checkTools` checks it
  beforeChatModel: is.callback,
  afterChatModel: is.callback,
  wrapToolCall: is.nested<ToolMiddleware>({ invokable: is.callback, streamable: is.callback }),
};

/**
 * Converts a middleware to a handler named `legacy-middleware`; `index` is its position in the option `middlewares`, for errors.
 * @throws ValidationError for an unknown or invalid field
 */
export function fromMiddleware(middleware: AgentMiddleware, index?: number): AgentHandler {
  checkMiddleware(middleware, index === undefined ? undefined : `middlewares[${index}]`);
  const { additionalInstruction = '', additionalTools = [], wrapToolCall } = middleware;
  const beforeChatModel = middleware.beforeChatModel?.bind(middleware);
  const afterChatModel = middleware.afterChatModel?.bind(middleware);
  const invokable = wrapToolCall?.invokable?.bind(wrapToolCall);
  const streamable = wrapToolCall?.streamable?.bind(wrapToolCall);
  const tools = [...additionalTools];
  return {
    name: 'legacy-middleware',
    beforeAgent: (config) => ({
      ...config,
      instruction:
        additionalInstruction === '' ? config.instruction : `${config.instruction}\n${additionalInstruction}`,
      tools: appended(config.tools, tools),
    }),
    ...(beforeChatModel ? { beforeModelRewriteHistory: rewriterOf(beforeChatModel) } : {}),
    ...(afterChatModel ? { afterModelRewriteHistory: rewriterOf(afterChatModel) } : {}),
    ...(invokable ? { wrapInvokableToolCall: (call, next, run) => invokable(next, run)(call) } : {}),
    ...(streamable ? { wrapStreamableToolCall: (call, next, run) => streamable(next, run)(call) } : {}),
  };
}

function rewriterOf(change: NonNullable<AgentMiddleware['beforeChatModel']>) {
  return async (messages: readonly Message[], run: RunContext): Promise<readonly Message[]> => {
    const state: ChatModelAgentState = { messages: [...messages] };
    await change(state, run);
    return state.messages;
  };
}

function checkMiddleware(middleware: AgentMiddleware, path?: string): void {
  const what = path ?? 'A middleware';
  checkOptions(what, middleware, MIDDLEWARE, path);
  checkMethodNames(what, middleware, Object.keys(MIDDLEWARE));
  const { additionalTools } = middleware;
  if (additionalTools !== undefined)
    checkTools(`${path === undefined ? '' : `${path}.`}additionalTools`, [...additionalTools]);
}
