import {
  AgentError,
  type AgentEvent,
  defineTool,
  type Model,
  objectSchema,
  type RunContext,
  type Tool,
  type ToolContext,
  type ToolMeta,
  type ToolStream,
  ValidationError,
} from '@x/core';
import { admitComputer, callWaits, isCallWaits, knownNames, messageOf, rootRun } from '@x/core/internal';
import { forwarded } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { namesTool } from '@x/handlers/internal';
import { type AgentDefinition, checkAgents } from './agent-definition.ts';
import { runAgent } from './run-agent.ts';
import { endRunWith, factsOfRun, runningModel } from './run-facts.ts';
import type { RunOptions } from './run-options.ts';
import { failure } from './run-tool-call.ts';
import { startingRuns } from './starts-run.ts';
import { isModelFailure, type SubagentCall, subagentResult, subagentRun } from './subagent-run.ts';

/** Options of the tool for subagents. */
export interface SubagentToolOptions {
  readonly agents: readonly AgentDefinition[];
  /** Returns the model of that name; needed when a definition names one. Called once for each, when the tool is created. */
  readonly modelFor?: (name: string) => Model;
  /** Maximum depth of subagents; default 2: subagents, and theirs. */
  readonly maxDepth?: number;
  /** Maximum number of concurrent subagents below one run, at all depths together; default 4. */
  readonly maxParallel?: number;
}

const OPTIONS: OptionRules<SubagentToolOptions> = {
  agents: is.anything, // `checkAgents` checks it
  modelFor: is.callback,
  maxDepth: is.count(),
  maxParallel: is.count(),
};

/** Input of the model for a task. */
export interface SubagentInput {
  readonly subagent_type: string;
  readonly description: string;
  readonly prompt: string;
}

/** The name of the tool that `subagentTool` creates. */
const TASK = 'Task';

interface Agent {
  readonly definition: AgentDefinition;
  readonly model: Model | undefined;
}

/**
 * Creates the `Task` tool: delegates a task to another agent, whose run uses the same handlers, journal and workspace, and answers with its
 * last text. Works only as a tool of `runAgent`.
 *
 * The agent has the tools of the one that calls it, or those of them that its definition lists; never others, whatever handlers add. Its
 * events are yielded as `subagent` events, so observers see each one twice: directly with the subagent's `RunContext`, and inside a
 * `subagent` event with the parent's; count only one of the two. Its limit of turns is that of the session. `toolTimeout` limits each of
 * its calls, not the task as a whole.
 *
 * Beyond `maxDepth` and `maxParallel` nothing waits: the call is answered with an error. So is a task whose model fails or that reaches its
 * limit of turns; a handler that throws, a stop by a hook and a lost journal end all the runs around it.
 * @throws ValidationError, and errors of `modelFor`
 */
export function subagentTool(options: SubagentToolOptions): Tool<SubagentInput> {
  checkOptions('subagentTool options', options, OPTIONS);
  const { maxDepth = 2, maxParallel = 4 } = options;
  const agents = agentsOf(options);
  const underWay = new WeakMap<RunContext, number>();

  async function* execute(input: SubagentInput, context: ToolContext): ToolStream {
    const { run, callId, signal } = context;
    const parent = factsOfRun(run);
    if (!parent) throw new AgentError(`${TASK} works only as a tool of runAgent`, { code: 'NO_RUN' });
    const agent = agents.get(input.subagent_type);
    if (!agent) return failure(unknownAgent(input.subagent_type, [...agents.keys()]));
    if (run.depth >= maxDepth) return failure(tooDeep(maxDepth));
    const root = rootRun(run);
    const others = underWay.get(root) ?? 0;
    if (others >= maxParallel) return failure(tooMany(maxParallel));
    underWay.set(root, others + 1);
    try {
      const { definition, model = runningModel(root) ?? parent.options.model } = agent;
      const outside = boundOf(parent.config.tools, { definition, depth: run.depth + 1, maxDepth });
      yield* missingTools(definition, parent.config.tools);
      return yield* handOver({ definition, prompt: input.prompt, callId, signal, run, parent, model, outside });
    } finally {
      underWay.set(root, underWay.get(root)! - 1); // set above
    }
  }

  const inputSchema = objectSchema({
    subagent_type: { type: 'string', description: 'The name of the agent.' },
    description: { type: 'string', description: 'The task in three to five words.' },
    prompt: { type: 'string', description: 'The whole task: the agent knows nothing else.' },
  });
  const description = describe([...agents.values()]);
  return startingRuns(
    defineTool({
      name: TASK,
      description,
      inputSchema,
      kind: 'readonly',
      effect: 'idempotent',
      streaming: true,
      execute,
    }),
  );
}

/** Runs the agent and returns its answer; each event of its run is passed to the run around it. */
async function* handOver(call: SubagentCall): ToolStream {
  const options = subagentRun(call);
  const { callId, definition } = call;
  const { name } = definition;
  const refused = refusalOfComputer(options);
  if (refused !== undefined) return failure(`The agent ${name} was not started: ${refused}`, 'not_run');
  const event = (told: AgentEvent): AgentEvent => ({ type: 'subagent', callId, agentName: name, event: told });
  try {
    const result = yield* forwarded(() => runAgent(options), { event });
    if (result.subtype === 'waiting') throw callWaits(callId);
    return subagentResult(result, name);
  } catch (error) {
    if (isCallWaits(error)) throw error;
    if (isModelFailure(error, options.run)) return failure(`The agent ${name} failed: ${messageOf(error)}`);
    endRunWith(call.run, call.callId, error);
    throw error;
  }
}

/** The reason why the agent's model cannot have its tools; undefined when it can. */
function refusalOfComputer({ model, config }: RunOptions): string | undefined {
  try {
    admitComputer(
      model,
      config.tools.map(({ tool }) => tool),
    );
  } catch (error) {
    return messageOf(error);
  }
  return undefined;
}

/** @throws ValidationError */
function agentsOf({ agents, modelFor }: SubagentToolOptions): ReadonlyMap<string, Agent> {
  const known = new Map<string, Agent>();
  for (const definition of checkAgents(agents)) {
    const { name, model } = definition;
    if (model !== undefined && !modelFor) {
      throw new ValidationError(`Agent ${name} names the model ${model}; give modelFor to make it`, 'modelFor');
    }
    known.set(name, { definition, model: model === undefined ? undefined : modelFor?.(model) });
  }
  if (known.size === 0) throw new ValidationError(`${TASK} needs at least one agent to hand tasks to`, 'agents');
  return known;
}

/** The tools of the parent that the definition lists; at the deepest level none that starts another agent. */
function boundOf(
  tools: readonly ToolMeta[],
  { definition, depth, maxDepth }: { definition: AgentDefinition; depth: number; maxDepth: number },
): (toolName: string) => string | undefined {
  const had = new Set(tools.map(({ tool }) => tool.name));
  const { tools: listed } = definition;
  return (toolName) => {
    if (!had.has(toolName) || listed?.some((written) => namesTool(written, toolName)) === false)
      return `Tool not found: ${toolName}`;
    return toolName === TASK && depth >= maxDepth ? tooDeep(maxDepth) : undefined;
  };
}

/** Notifies the host of listed tools that this parent does not have. */
function* missingTools({ name, tools = [] }: AgentDefinition, had: readonly ToolMeta[]): Generator<AgentEvent, void> {
  const missing = tools.filter((written) => !had.some(({ tool }) => namesTool(written, tool.name)));
  if (missing.length === 0) return;
  const message = `The agent ${name} runs without ${missing.join(', ')}: the agent that called it does not have it`;
  yield { type: 'notification', kind: 'subagent_tools_missing', message };
}

function describe(agents: readonly Agent[]): string {
  return [
    'Hands a task to another agent, which works on it by itself and answers with a text.',
    'It sees nothing of this conversation: put everything it needs to know into the prompt.',
    'Several calls in one reply run side by side.',
    '',
    'The agents:',
    ...agents.map(({ definition: { name, description } }) => `- ${name}: ${description}`),
  ].join('\n');
}

function unknownAgent(name: string, known: readonly string[]): string {
  return `There is no agent ${name}; ${knownNames(name, known)}`;
}

function tooDeep(maxDepth: number): string {
  return `${TASK} was not run: agents may be nested ${maxDepth} deep, and this one is at that limit. Do the task yourself.`;
}

function tooMany(maxParallel: number): string {
  return `${TASK} was not run: ${maxParallel} agents run already, which is the limit. Call it again when one has answered.`;
}
