import {
  type AgentConfig,
  type AgentEvent,
  type AgentHandler,
  defineTool,
  objectSchema,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolDefinition,
  type ToolNext,
  userMessage,
} from '@x/core';

/** A run that keeps nothing of what is written. */
export function run(): RunContext {
  const signal = new AbortController().signal;
  // safe: nothing in these tests reads the journal
  return {
    sessionId: 's',
    runId: 'r',
    agentName: 'main',
    messageId: 'm',
    depth: 0,
    signal,
    journal: { write: async () => undefined } as never,
    emit: () => undefined,
  };
}

export function tool(name = 't', more: Partial<ToolDefinition> = {}): Tool {
  return defineTool({
    name,
    description: 'A tool of a test.',
    inputSchema: objectSchema({}),
    execute: async () => name,
    ...more,
  });
}

export function configOf(...tools: readonly Tool[]): AgentConfig {
  return {
    instruction: 'Base.',
    tools: tools.map((one) => ({ tool: one, returnDirectly: false })),
    input: [userMessage('Begin.')],
    options: { maxTurns: 5 },
  };
}

/** A call of a tool. */
export function callOf(used: Tool = tool()): ToolCall {
  // safe: nothing in these tests touches the world
  return {
    id: 'c1',
    name: used.name,
    input: {},
    tool: used,
    workspace: {} as never,
    signal: new AbortController().signal,
  };
}

/** A call of a tool that does not exist. */
export function unknownCall(): ToolCall {
  return { ...callOf(), name: 'missing', tool: undefined };
}

export const progress = (delta: string): AgentEvent => ({ type: 'tool_progress', id: 'c1', delta });

/** The innermost layer: yields these, then answers. */
export function answering(output = 'ok', ...deltas: readonly string[]): ToolNext {
  return async function* () {
    for (const delta of deltas) yield progress(delta);
    return { output, isError: false };
  };
}

/** A handler that writes down where it was, in every method; its wraps pass on. */
export function recorder(name: string, trace: string[]): AgentHandler {
  const at = (moment: string) => void trace.push(`${name} ${moment}`);
  return {
    name,
    beforeAgent: () => at('beforeAgent'),
    beforeUserMessage: () => at('beforeUserMessage'),
    beforeModelRewriteHistory: (messages) => (at('beforeModel'), messages),
    afterModelRewriteHistory: (messages) => (at('afterModel'), messages),
    afterAgent: () => at('afterAgent'),
    async *wrapModelCall(request, next) {
      at('model in');
      const reply = yield* next(request);
      at('model out');
      return reply;
    },
    async *wrapToolCall(call, next) {
      at('tool in');
      const result = yield* next(call);
      at('tool out');
      return result;
    },
    onEvent: (event) => at(`saw ${event.type}`),
  };
}

/** One turn of the event loop. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
