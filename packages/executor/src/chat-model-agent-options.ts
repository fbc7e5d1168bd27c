import {
  type AgentHandler,
  defineTool,
  type Model,
  type ModelOptions,
  type Tool,
  type ToolDefinition,
  ValidationError,
  type Workspace,
} from '@x/core';
import { admitModelOptions, isTool, MODEL_OPTIONS, ownModelOptions, present } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, given, type OptionRules } from '@x/errors/option-rules';
import { type AgentMiddleware, fromMiddleware, Pipeline } from '@x/handlers';
import type { AgentDefinition } from './agent-definition.ts';
import { noWorkspace } from './run-context.ts';
import { LIMITS, type RunLimits } from './run-options.ts';
import { subagentTool } from './subagent-tool.ts';

/** Options of a `ChatModelAgent`. */
export interface ChatModelAgentOptions extends RunLimits {
  readonly name: string;
  readonly description: string;
  readonly model: Model;
  /** Options of the model; one that it does not take is refused. A user message may have its own over them. */
  readonly modelOptions?: ModelOptions;
  /** Default: none. */
  readonly instruction?: string;
  readonly tools?: readonly (Tool | ToolDefinition)[];
  /** The older form of handlers; they come before `handlers`. */
  readonly middlewares?: readonly AgentMiddleware[];
  readonly handlers?: readonly AgentHandler[];
  /** Model calls with their tool calls in one run; default 200. */
  readonly maxTurns?: number;
  /** The workspace of the tools; without one every access is refused. */
  readonly workspace?: Workspace;
  /** Agents that this one may delegate tasks to, with the tool `Task`. */
  readonly agents?: readonly AgentDefinition[];
  /** Returns the model of that name, for agents that name one. */
  readonly modelFor?: (name: string) => Model;
  /** Default 2. */
  readonly maxSubagentDepth?: number;
  /** Default 4. */
  readonly maxParallelSubagents?: number;
}
/** The same options, checked and copied: later changes by the caller have no effect. */
export interface ChatModelAgentParts {
  readonly name: string;
  readonly description: string;
  readonly model: Model;
  readonly modelOptions: ModelOptions;
  readonly instruction: string;
  readonly tools: readonly Tool[];
  readonly pipeline: Pipeline;
  readonly maxTurns: number;
  readonly workspace: Workspace;
  readonly limits: RunLimits;
}

const MAX_TURNS = 200;
const OPTIONS: OptionRules<ChatModelAgentOptions> = {
  name: is.required(is.words),
  description: is.required(is.words),
  model: is.required(is.having('a Model, with a stream function', 'stream')),
  modelOptions: MODEL_OPTIONS,
  instruction: is.text,
  tools: is.list,
  middlewares: is.list,
  handlers: is.list,
  maxTurns: is.count(),
  workspace: is.anything,
  agents: is.list, // `subagentTool` checks what is in it
  modelFor: is.callback,
  maxSubagentDepth: is.count(),
  maxParallelSubagents: is.count(),
  ...LIMITS,
};
const OF_AGENTS = ['modelFor', 'maxSubagentDepth', 'maxParallelSubagents'] as const;

/** @throws ValidationError naming an option that is unknown, invalid, or without effect */
export function chatModelAgentParts(options: ChatModelAgentOptions): ChatModelAgentParts {
  checkOptions('The options', options, OPTIONS);
  const idle = options.agents?.length ? undefined : OF_AGENTS.find((key) => options[key] !== undefined);
  if (idle) throw new ValidationError(`${idle} has no effect without agents; leave it out`, idle);
  const { name, description, model, instruction = '', middlewares = [], handlers = [] } = options;
  const modelOptions = ownModelOptions(options.modelOptions ?? {});
  admitModelOptions(model, modelOptions);
  const { maxTurns = MAX_TURNS, workspace = noWorkspace() } = options;
  const pipeline = new Pipeline([...middlewares.map(fromMiddleware), ...handlers]);
  const parts = { name, description, model, modelOptions, instruction, pipeline, maxTurns, workspace };
  return { ...parts, tools: toolsOf(options), limits: given<RunLimits>(options, LIMITS) };
}

function toolsOf(options: ChatModelAgentOptions): readonly Tool[] {
  const { tools: ownTools = [], agents = [], modelFor, maxSubagentDepth, maxParallelSubagents } = options;
  const tools = ownTools.map((tool) => (isTool(tool) ? tool : defineTool(tool)));
  if (agents.length > 0) {
    const task = subagentTool({
      agents,
      ...present({ modelFor, maxDepth: maxSubagentDepth, maxParallel: maxParallelSubagents }),
    });
    tools.push(task);
  }
  const names = new Set<string>();
  for (const { name, replace } of tools) {
    if (replace)
      throw new ValidationError(
        `The tool ${name} replaces nothing: here is no built-in one; leave replace out`,
        'tools',
      );
    if (names.has(name)) throw new ValidationError(`Two tools are named ${name}; rename one`, 'tools');
    names.add(name);
  }
  return tools;
}
