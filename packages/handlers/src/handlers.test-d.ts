import {
  type AgentConfig,
  type AgentHandler,
  defineTool,
  type Message,
  type ModelStream,
  objectSchema,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolMeta,
  type ToolNext,
  type ToolResult,
  type ToolStream,
  type UserMessage,
} from '@x/core';
import { describe, expectTypeOf, it } from 'vitest';
import { BaseAgentHandler } from './base-agent-handler.ts';
import { type AgentMiddleware, type ChatModelAgentState, fromMiddleware } from './middleware.ts';
import { type RunNote, runNote } from './run-note.ts';
import {
  withAfterModelRewriteHistory,
  withBeforeAgent,
  withBeforeModelRewriteHistory,
  withInstruction,
  withInstructionFunc,
  withInvokableToolWrapper,
  withStreamableToolWrapper,
  withTools,
  withToolsFunc,
} from './with.ts';

const tool = defineTool({
  name: 'find',
  description: 'Finds.',
  inputSchema: objectSchema({ text: { type: 'string', description: 'What to find.' } }),
  execute: async ({ text }) => text,
}) as Tool; // a list of tools has no input type of its own

describe('AgentHandler', () => {
  it('needs a name and nothing else', () => {
    expectTypeOf<{ name: 'x' }>().toExtend<AgentHandler>();
    // @ts-expect-error no name
    const nameless: AgentHandler = { beforeAgent: () => undefined };
    // @ts-expect-error not one of its methods
    const misspelt: AgentHandler = { name: 'x', beforeAgents: () => undefined };
    expectTypeOf([nameless, misspelt]).toEqualTypeOf<AgentHandler[]>();
  });

  it('is an object: neither a class nor a function that makes one', () => {
    class Guard extends BaseAgentHandler {}
    expectTypeOf<Guard>().toExtend<AgentHandler>();
    // @ts-expect-error the class, not an instance
    const asClass: AgentHandler = Guard;
    // @ts-expect-error not called
    const asFunction: AgentHandler = () => new Guard('guard');
    expectTypeOf([asClass, asFunction]).toEqualTypeOf<AgentHandler[]>();
  });

  it('gives its methods their types', () => {
    const handler: AgentHandler = {
      name: 'x',
      beforeAgent(config, run) {
        expectTypeOf(config).toEqualTypeOf<AgentConfig>();
        expectTypeOf(config.input).toEqualTypeOf<UserMessage[]>();
        expectTypeOf(config.options.maxTurns).toEqualTypeOf<number>();
        expectTypeOf(run).toEqualTypeOf<RunContext>();
        config.tools[0]!.returnDirectly = true;
      },
      beforeModelRewriteHistory: (messages) => messages.slice(-10),
      afterAgent(messages) {
        expectTypeOf(messages).toEqualTypeOf<readonly Message[]>();
      },
      async *wrapModelCall(request, next) {
        return yield* next({ ...request, instruction: '' });
      },
      async *wrapToolCall(call, next) {
        expectTypeOf(call.input).toBeUnknown();
        expectTypeOf(call.tool).toEqualTypeOf<Tool | undefined>();
        return yield* next({ ...call, input: {} });
      },
    };
    expectTypeOf(handler).toEqualTypeOf<AgentHandler>();
  });

  it('does not let a method forget what it must return', () => {
    // @ts-expect-error a rewriter returns the messages
    const rewriter: AgentHandler = { name: 'x', beforeModelRewriteHistory: () => undefined };
    const forgetful = async function* (call: ToolCall, next: ToolNext) {
      yield* next(call);
    };
    // @ts-expect-error a wrap returns what the tool has returned
    const wrap: AgentHandler = { name: 'x', wrapToolCall: forgetful };
    // @ts-expect-error an observer changes no event
    const observer: AgentHandler = { name: 'x', onEvent: (event) => event };
    expectTypeOf([rewriter, wrap, observer]).toEqualTypeOf<AgentHandler[]>();
  });
});

describe('BaseAgentHandler', () => {
  it('is extended as the custom handler of the specification is, state included', () => {
    class MyCustomHandler extends BaseAgentHandler {
      readonly #cache = new Map<string, ToolResult>();

      constructor() {
        super('my-custom-handler');
      }

      override async beforeAgent(config: AgentConfig, _run: RunContext) {
        config.instruction = `${config.instruction}\n${this.#extraInstruction()}`;
      }

      override async wrapInvokableToolCall(
        call: ToolCall,
        next: (call: ToolCall) => Promise<ToolResult>,
      ): Promise<ToolResult> {
        const key = `${call.name}:${JSON.stringify(call.input)}`;
        const cached = this.#cache.get(key);
        if (cached) return cached;
        const result = await next(call);
        if (!result.isError) this.#cache.set(key, result);
        return result;
      }

      #extraInstruction(): string {
        return 'Answer from the cache.';
      }
    }
    expectTypeOf<MyCustomHandler>().toExtend<AgentHandler>();

    class Streaming extends BaseAgentHandler {
      override async *wrapStreamableToolCall(call: ToolCall, next: ToolNext, run: RunContext): ToolStream {
        return yield* super.wrapStreamableToolCall(call, next, run);
      }
      // A method that the base class does not have.
      async *wrapModelCall(...[request, next]: Parameters<NonNullable<AgentHandler['wrapModelCall']>>): ModelStream {
        return yield* next(request);
      }
    }
    expectTypeOf<Streaming>().toExtend<AgentHandler>();
  });

  it('does not let a method change its shape', () => {
    class Wrong extends BaseAgentHandler {
      // @ts-expect-error messages in, messages out
      override beforeModelRewriteHistory(): string {
        return '';
      }
    }
    expectTypeOf<Wrong>().toHaveProperty('name');
  });
});

describe('the factories', () => {
  it('make handlers, and give the function its types', () => {
    const handlers = [
      withInstruction('Be concise.'),
      withInstructionFunc((instruction, run) => `${instruction} ${run.agentName}`),
      withTools(tool),
      withTools({ replace: true }, tool),
      withToolsFunc((tools) => {
        expectTypeOf(tools).toEqualTypeOf<ToolMeta[]>();
        return tools.filter((meta) => meta.tool.name !== 'dangerous_tool');
      }),
      withBeforeAgent(async (config) => {
        for (const meta of config.tools) if (meta.tool.name === 'final_answer') meta.returnDirectly = true;
      }),
      withBeforeModelRewriteHistory((messages) => messages),
      withAfterModelRewriteHistory(async (messages) => [...messages]),
      withInvokableToolWrapper(async (call, next) => {
        const result = await next(call);
        expectTypeOf(result).toEqualTypeOf<ToolResult>();
        return result;
      }),
      withStreamableToolWrapper(async function* (call, next) {
        const result = yield* next(call);
        expectTypeOf(result).toEqualTypeOf<ToolResult>();
        return result;
      }),
    ];
    expectTypeOf(handlers).toEqualTypeOf<AgentHandler[]>();
  });

  it('refuse what does not fit', () => {
    // @ts-expect-error the text is missing
    withInstruction();
    // @ts-expect-error nothing is returned
    withInstructionFunc(() => undefined);
    // @ts-expect-error an option there is not
    withTools({ replace: false }, tool);
    // @ts-expect-error no tool
    withTools({ name: 'half' });
    // @ts-expect-error a result is missing
    withInvokableToolWrapper(async (call, next) => void (await next(call)));
    // @ts-expect-error a promise is no stream
    withStreamableToolWrapper(async (call, next) => next(call));
    expectTypeOf(withTools(tool)).toEqualTypeOf<AgentHandler>();
  });
});

describe('AgentMiddleware', () => {
  it('is a plain record, every field optional', () => {
    const middleware: AgentMiddleware = {
      additionalInstruction: 'Be concise.',
      additionalTools: [tool],
      beforeChatModel(state) {
        expectTypeOf(state).toEqualTypeOf<ChatModelAgentState>();
        state.messages = state.messages.slice(1);
      },
      afterChatModel: async (state) => void state.messages.reverse(),
      wrapToolCall: {
        invokable: (next) => async (call) => next(call),
        streamable: (next) =>
          async function* (call) {
            return yield* next(call);
          },
      },
    };
    expectTypeOf(fromMiddleware(middleware)).toEqualTypeOf<AgentHandler>();
    expectTypeOf(fromMiddleware({})).toEqualTypeOf<AgentHandler>();
    // @ts-expect-error a field there is not
    fromMiddleware({ additionalInstructions: '' });
    // @ts-expect-error an endpoint answers a call
    fromMiddleware({ wrapToolCall: { invokable: () => async () => undefined } });
  });
});

describe('runNote', () => {
  it('knows what its owner keeps', () => {
    const note = runNote<{ seen: string[] }>({} as RunContext, 'seen');

    expectTypeOf(note).toEqualTypeOf<RunNote<{ seen: string[] }>>();
    expectTypeOf(note.get()).toEqualTypeOf<{ seen: string[] } | undefined>();
    // @ts-expect-error something else
    void note.set(['a']);
  });
});
