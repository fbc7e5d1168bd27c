import {
  type AgentHandler,
  defineTool,
  objectSchema,
  type RunContext,
  type Tool,
  type ToolCall,
  type ToolNext,
  type ToolResult,
  type Workspace,
} from '@x/core';
import { collect, memoryWorkspace } from '@x/core/testing';
import { createHooks } from '../src/hooks/create-hooks.ts';
import type { HookCallback, HookConfig, HookInput, HookOutput } from '../src/hooks/types.ts';
import { Pipeline } from '../src/pipeline.ts';
import { journaledRun } from './journaled-run.ts';

export interface HookedOptions {
  readonly workspace?: Workspace;
  readonly run?: RunContext;
  readonly maxForcedTurns?: number;
  /** Between the outer and the inner part. */
  readonly between?: readonly AgentHandler[];
  readonly around?: readonly AgentHandler[];
}

/** The hooks of a config, in a pipeline of their own around a tool that says its input. */
export function hooked(config: HookConfig, options: HookedOptions = {}) {
  const { workspace = memoryWorkspace(), run = journaledRun().run, between = [], around = [], ...rest } = options;
  const hooks = createHooks(config, { workspace, sessionId: 's1', permissionMode: () => 'default', ...rest });
  const pipeline = new Pipeline([...around, hooks.outer, ...between, hooks.inner]);
  const ran: ToolCall[] = [];
  const tool = (result?: ToolResult): ToolNext =>
    async function* (call) {
      yield { type: 'tool_started', id: call.id };
      ran.push(call);
      return result ?? { output: JSON.stringify(call.input), isError: false };
    };
  /** Sends a call through the handlers. */
  const call = (changes: Partial<ToolCall> = {}, result?: ToolResult) =>
    collect(pipeline.callTool({ ...bash(), signal: run.signal, ...changes }, tool(result), run));
  return { hooks, pipeline, run, ran, call, next: tool };
}

function bashTool(name = 'Bash'): Tool {
  return defineTool({
    name,
    description: 'A tool of a test.',
    kind: 'execute',
    inputSchema: objectSchema({ command: { type: 'string', description: 'A command.' } }),
    execute: async () => '',
  }) as Tool;
}

export function bash(command = 'ls', name = 'Bash'): ToolCall {
  const tool = bashTool(name);
  // safe: nothing in these tests touches the world
  return {
    id: 'c1',
    name,
    input: { command },
    tool,
    workspace: {} as never,
    signal: new AbortController().signal,
  };
}

/** A hook that keeps what it is told and answers this. */
export function telling(output: HookOutput | ((input: HookInput) => HookOutput) = {}) {
  const inputs: HookInput[] = [];
  const hook: HookCallback = async (input) => {
    inputs.push(input);
    return typeof output === 'function' ? output(input) : output;
  };
  return { hook, inputs };
}

/** A hook that answers anything at all, also what its type forbids. */
export function lying(value: unknown): HookCallback {
  return async () => value as HookOutput;
}

/** A hook that answers only when its signal is aborted, and then allows everything. */
export function hanging() {
  const started = Promise.withResolvers<AbortSignal>();
  const hook: HookCallback = (_input, { signal }) => {
    started.resolve(signal);
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ permissionDecision: 'allow' }), { once: true });
    });
  };
  return { hook, started: started.promise };
}

/** The texts of the notifications of one kind. */
export function notifications(events: readonly { type: string }[], kind: string): string[] {
  return events.flatMap((event) => {
    const { type, kind: own, message } = event as { type: string; kind?: string; message?: string };
    return type === 'notification' && own === kind ? [message ?? ''] : [];
  });
}
