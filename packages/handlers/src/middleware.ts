import {
  type AgentHandler,
  checkKeys,
  type Message,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolNext,
  type ToolResult,
  ValidationError,
} from '@x/core';
import { checkMethodNames } from './check-handler.ts';
import { appended, checkTools } from './with.ts';

type Awaitable<T> = T | Promise<T>;

/** What a middleware may change around a model call: put another list into `messages`, or change this one. */
export interface ChatModelAgentState {
  messages: Message[];
}
/** What a legacy wrap calls, and what it returns. */
export type InvokableToolEndpoint = (call: ToolCall) => Promise<ToolResult>;
/** Each gets what it stands around and returns what stands in its place. */
export interface ToolMiddleware {
  /** For tools that do not stream; for all tools when it stands alone. */
  readonly invokable?: (next: InvokableToolEndpoint, run: RunContext) => InvokableToolEndpoint;
  /** For tools that stream; for all tools when it stands alone. */
  readonly streamable?: (next: ToolNext, run: RunContext) => ToolNext;
}
/** The older, plain form of a handler: a record of fields. */
export interface AgentMiddleware {
  /** Appended to the instruction, after a line feed. */
  readonly additionalInstruction?: string;
  readonly additionalTools?: readonly Tool[];
  readonly beforeChatModel?: (state: ChatModelAgentState, run: RunContext) => Awaitable<void>;
  readonly afterChatModel?: (state: ChatModelAgentState, run: RunContext) => Awaitable<void>;
  readonly wrapToolCall?: ToolMiddleware;
}

const FIELDS = ['additionalInstruction', 'additionalTools', 'beforeChatModel', 'afterChatModel', 'wrapToolCall'];
const FUNCTIONS = ['beforeChatModel', 'afterChatModel'] as const;
const WRAPS = ['invokable', 'streamable'];

/** A middleware as a handler, named `legacy-middleware`. @throws ValidationError for a field that is not known or does not fit */
export function fromMiddleware(middleware: AgentMiddleware): AgentHandler {
  checkMiddleware(middleware);
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

function checkMiddleware(middleware: AgentMiddleware): void {
  checkKeys('A middleware', middleware, FIELDS);
  checkMethodNames('A middleware', middleware, FIELDS);
  const { additionalInstruction: text, additionalTools, wrapToolCall } = middleware;
  if (text !== undefined && typeof text !== 'string') {
    throw new ValidationError('additionalInstruction of a middleware must be a text', 'additionalInstruction');
  }
  if (additionalTools !== undefined) checkTools('additionalTools of a middleware', [...additionalTools]);
  for (const name of FUNCTIONS) checkFunction(name, middleware[name]);
  if (wrapToolCall === undefined) return;
  checkKeys('wrapToolCall of a middleware', wrapToolCall, WRAPS);
  checkFunction('wrapToolCall.invokable', wrapToolCall.invokable);
  checkFunction('wrapToolCall.streamable', wrapToolCall.streamable);
}

function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') {
    throw new ValidationError(`${name} of a middleware must be a function`, name);
  }
}
