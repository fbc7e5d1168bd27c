import {
  type AgentHandler,
  checkKeys,
  defineTool,
  isTool,
  type Model,
  type Tool,
  type ToolDefinition,
  ValidationError,
  type Workspace,
} from '@x/core';
import { type AgentMiddleware, fromMiddleware, Pipeline } from '@x/handlers';
import type { AgentDefinition } from './agent-definition.ts';
import { noWorkspace } from './no-workspace.ts';
import type { RunOptions } from './run-options.ts';
import { subagentTool } from './subagent-tool.ts';

type Limits = Pick<
  RunOptions,
  'maxParallelTools' | 'toolTimeout' | 'onToolTimeout' | 'maxToolOutputBytes' | 'reconcile'
>;
/** What a `ChatModelAgent` is made of. */
export interface ChatModelAgentOptions extends Limits {
  readonly name: string;
  readonly description: string;
  readonly model: Model;
  /** Default: none. */
  readonly instruction?: string;
  readonly tools?: readonly (Tool | ToolDefinition)[];
  /** The older form of handlers; they come before `handlers`. */
  readonly middlewares?: readonly AgentMiddleware[];
  readonly handlers?: readonly AgentHandler[];
  /** Model calls with their tool calls in one run; default 200. */
  readonly maxTurns?: number;
  /** Where tools do their work; without one every door refuses. */
  readonly workspace?: Workspace;
  /** Agents that this one may hand tasks to, with the tool `Task`. */
  readonly agents?: readonly AgentDefinition[];
  /** The model of that name, for agents that name one. */
  readonly modelFor?: (name: string) => Model;
  /** Default 2. */
  readonly maxSubagentDepth?: number;
  /** Default 4. */
  readonly maxParallelSubagents?: number;
}
/** The same, checked and copied: what the caller changes later has no effect. */
export interface ChatModelAgentParts {
  readonly name: string;
  readonly description: string;
  readonly model: Model;
  readonly instruction: string;
  readonly tools: readonly Tool[];
  readonly pipeline: Pipeline;
  readonly maxTurns: number;
  readonly workspace: Workspace;
  readonly limits: Limits;
}

const MAX_TURNS = 200;
const KNOWN: Readonly<Record<keyof ChatModelAgentOptions, true>> = {
  name: true,
  description: true,
  model: true,
  instruction: true,
  tools: true,
  middlewares: true,
  handlers: true,
  maxTurns: true,
  workspace: true,
  agents: true,
  modelFor: true,
  maxSubagentDepth: true,
  maxParallelSubagents: true,
  maxParallelTools: true,
  toolTimeout: true,
  onToolTimeout: true,
  maxToolOutputBytes: true,
  reconcile: true,
};
const COUNTS = [
  'maxTurns',
  'maxSubagentDepth',
  'maxParallelSubagents',
  'maxParallelTools',
  'toolTimeout',
  'maxToolOutputBytes',
] as const;
const LISTS = ['tools', 'middlewares', 'handlers', 'agents'] as const;
const OF_AGENTS = ['modelFor', 'maxSubagentDepth', 'maxParallelSubagents'] as const;

/** @throws ValidationError naming the option that is not known, or does not fit, or could do nothing */
export function chatModelAgentParts(options: ChatModelAgentOptions): ChatModelAgentParts {
  checkKeys('The options', options, Object.keys(KNOWN));
  checkValues(options);
  const { name, description, model, instruction = '', middlewares = [], handlers = [] } = options;
  const { maxTurns = MAX_TURNS, workspace = noWorkspace() } = options;
  const pipeline = new Pipeline([...middlewares.map(fromMiddleware), ...handlers]);
  const parts = { name, description, model, instruction, pipeline, maxTurns, workspace };
  return { ...parts, tools: toolsOf(options), limits: limitsOf(options) };
}

function checkValues(options: ChatModelAgentOptions): void {
  const { name, description, model, instruction, onToolTimeout, agents = [] } = options;
  const say = (field: keyof ChatModelAgentOptions, duty: string) => new ValidationError(`${field} ${duty}`, field);
  if (!isText(name)) throw say('name', 'is required');
  if (!isText(description)) throw say('description', 'is required: what the agent is for');
  if (typeof model?.stream !== 'function') throw say('model', 'is required: a Model, with a stream function');
  if (instruction !== undefined && typeof instruction !== 'string') throw say('instruction', 'must be a string');
  for (const key of COUNTS) {
    const value = options[key];
    if (value !== undefined && !(Number.isInteger(value) && value >= 1)) {
      throw say(key, `must be a whole number from 1, not ${String(value)}`);
    }
  }
  for (const key of LISTS) {
    if (options[key] !== undefined && !Array.isArray(options[key])) throw say(key, 'must be a list');
  }
  if (onToolTimeout !== undefined && onToolTimeout !== 'result' && onToolTimeout !== 'throw') {
    throw say('onToolTimeout', "must be 'result' or 'throw'");
  }
  const idle = agents.length === 0 ? OF_AGENTS.find((key) => options[key] !== undefined) : undefined;
  if (idle) throw say(idle, 'has no effect without agents; leave it out');
}

function toolsOf(options: ChatModelAgentOptions): readonly Tool[] {
  const { tools: given = [], agents = [], modelFor, maxSubagentDepth, maxParallelSubagents } = options;
  const tools = given.map((tool) => (isTool(tool) ? tool : defineTool(tool)));
  if (agents.length > 0) {
    const task = subagentTool({
      agents,
      ...(modelFor ? { modelFor } : {}),
      ...(maxSubagentDepth === undefined ? {} : { maxDepth: maxSubagentDepth }),
      ...(maxParallelSubagents === undefined ? {} : { maxParallel: maxParallelSubagents }),
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

function limitsOf({
  maxParallelTools,
  toolTimeout,
  onToolTimeout,
  maxToolOutputBytes,
  reconcile,
}: ChatModelAgentOptions): Limits {
  return {
    ...(maxParallelTools === undefined ? {} : { maxParallelTools }),
    ...(toolTimeout === undefined ? {} : { toolTimeout }),
    ...(onToolTimeout === undefined ? {} : { onToolTimeout }),
    ...(maxToolOutputBytes === undefined ? {} : { maxToolOutputBytes }),
    ...(reconcile === undefined ? {} : { reconcile }),
  };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
