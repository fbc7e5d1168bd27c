import {
  type AgentConfig,
  type AgentHandler,
  type Message,
  type ToolCall,
  type ToolNext,
  type ToolResult,
  type ToolStream,
  userMessage,
} from '@x/core';
import {
  BaseAgentHandler,
  fromMiddleware,
  withAfterModelRewriteHistory,
  withBeforeAgent,
  withBeforeModelRewriteHistory,
  withInvokableToolWrapper,
  withStreamableToolWrapper,
} from '@x/handlers';
import type { HandlerFacts, Moment } from './order-oracle.ts';

/** Writes down a moment of a handler, around a call when one is given. */
export type Note = (at: string, call?: ToolCall) => void;
/** One way to write a handler: how it is made, and what it is then specified to write down. */
export interface Shape extends Omit<HandlerFacts, 'name'> {
  make(name: string, note: Note): AgentHandler;
}

const REWRITES = ['beforeModel', 'afterModel'] as const satisfies readonly Moment[];
const EVERY = ['beforeAgent', 'beforeUserMessage', ...REWRITES, 'model', 'afterAgent'] as const;
const promise = () => 'promise';
const stream = () => 'stream';
const byTool = (streaming: boolean) => (streaming ? 'stream' : 'promise');

/** Every way to write a handler, by name. */
export const SHAPES = {
  everything: { moments: EVERY, form: () => 'wrap', make: everything },
  'promise form': {
    moments: [],
    form: promise,
    make: (name, note) => ({ name, wrapInvokableToolCall: promiseWrap(name, note) }),
  },
  'stream form': {
    moments: [],
    form: stream,
    make: (name, note) => ({ name, wrapStreamableToolCall: streamWrap(name, note, 'stream') }),
  },
  'both forms': {
    moments: [],
    form: byTool,
    make: (name, note) => ({
      name,
      wrapInvokableToolCall: promiseWrap(name, note),
      wrapStreamableToolCall: streamWrap(name, note, 'stream'),
    }),
  },
  middleware: { moments: REWRITES, form: byTool, make: middleware },
  'middleware, promise form': {
    moments: [],
    form: promise,
    make: (name, note) =>
      fromMiddleware({
        wrapToolCall: { invokable: (next, run) => (call) => promiseWrap(name, note)(call, next, run) },
      }),
  },
  'middleware, stream form': {
    moments: [],
    form: stream,
    make: (name, note) =>
      fromMiddleware({
        wrapToolCall: { streamable: (next) => (call) => streamWrap(name, note, 'stream')(call, next) },
      }),
  },
  'class, promise form': { moments: ['beforeAgent', ...REWRITES], form: promise, make: promiseClass },
  'class, stream form': { moments: [], form: stream, make: streamClass },
  'class, nothing overridden': { moments: [], make: (name) => new BaseAgentHandler(name) },
  withBeforeAgent: { moments: ['beforeAgent'], make: (name, note) => withBeforeAgent(configurer(name, note)) },
  withBeforeModelRewriteHistory: {
    moments: ['beforeModel'],
    make: (name, note) => withBeforeModelRewriteHistory(before(name, note)),
  },
  withAfterModelRewriteHistory: {
    moments: ['afterModel'],
    make: (name, note) => withAfterModelRewriteHistory(after(name, note)),
  },
  withInvokableToolWrapper: {
    moments: [],
    form: promise,
    make: (name, note) => withInvokableToolWrapper(promiseWrap(name, note)),
  },
  withStreamableToolWrapper: {
    moments: [],
    form: stream,
    make: (name, note) => withStreamableToolWrapper(streamWrap(name, note, 'stream')),
  },
} satisfies Record<string, Shape>;

export type ShapeName = keyof typeof SHAPES;

function everything(name: string, note: Note): AgentHandler {
  return {
    name,
    beforeAgent: configurer(name, note),
    beforeUserMessage: () => note(`${name} beforeUserMessage`),
    beforeModelRewriteHistory: before(name, note),
    afterModelRewriteHistory: after(name, note),
    afterAgent: () => note(`${name} afterAgent`),
    async *wrapModelCall(request, next) {
      note(`${name} model in`);
      const reply = yield* next(request);
      note(`${name} model out`);
      return reply;
    },
    wrapToolCall: streamWrap(name, note, 'wrap'),
  };
}

function middleware(name: string, note: Note): AgentHandler {
  return fromMiddleware({
    beforeChatModel: (state) => {
      state.messages = before(name, note)(state.messages);
    },
    afterChatModel: async (state) => {
      state.messages = after(name, note)(state.messages);
    },
    wrapToolCall: {
      invokable: (next) => (call) => promiseWrap(name, note)(call, next),
      streamable: (next) => (call) => streamWrap(name, note, 'stream')(call, next),
    },
  });
}

function promiseClass(name: string, note: Note): AgentHandler {
  return new (class extends BaseAgentHandler {
    override beforeAgent(config: AgentConfig) {
      return configurer(name, note)(config);
    }
    override async beforeModelRewriteHistory(messages: readonly Message[]) {
      return before(name, note)(messages);
    }
    override afterModelRewriteHistory(messages: readonly Message[]) {
      return after(name, note)(messages);
    }
    override wrapInvokableToolCall(call: ToolCall, next: (call: ToolCall) => Promise<ToolResult>) {
      return promiseWrap(name, note)(call, next);
    }
  })(name);
}

function streamClass(name: string, note: Note): AgentHandler {
  return new (class extends BaseAgentHandler {
    override wrapStreamableToolCall(call: ToolCall, next: ToolNext): ToolStream {
      return streamWrap(name, note, 'stream')(call, next);
    }
  })(name);
}

/** Leaves the name at the end of the instruction. */
function configurer(name: string, note: Note) {
  return (config: AgentConfig): void => {
    note(`${name} beforeAgent`);
    config.instruction += ` ${name}`;
  };
}

/** Leaves the name as a message in front of the first reply. */
function before(name: string, note: Note) {
  return (messages: readonly Message[]): Message[] => {
    note(`${name} beforeModel`);
    const isFirst = messages.every(({ role }) => role === 'user');
    return isFirst ? [...messages, userMessage(name)] : [...messages];
  };
}

/** Leaves the name as a text in the reply. */
function after(name: string, note: Note) {
  return (messages: readonly Message[]): Message[] => {
    note(`${name} afterModel`);
    const reply = messages.at(-1);
    if (reply?.role !== 'assistant') return [];
    return [...messages.slice(0, -1), { ...reply, content: [...reply.content, { type: 'text', text: name }] }];
  };
}

function promiseWrap(name: string, note: Note) {
  return async (call: ToolCall, next: (call: ToolCall) => Promise<ToolResult>, _run?: unknown): Promise<ToolResult> => {
    note(`${name} promise in`, call);
    const result = await next(call);
    note(`${name} promise out`, call);
    return { ...result, output: `${name}(${result.output})` };
  };
}

function streamWrap(name: string, note: Note, form: 'stream' | 'wrap') {
  return async function* (call: ToolCall, next: ToolNext): ToolStream {
    note(`${name} ${form} in`, call);
    const result = yield* next(call);
    note(`${name} ${form} out`, call);
    return { ...result, output: `${name}(${result.output})` };
  };
}
