import { runTool, type Tool, type ToolContext, ToolExecutionError } from '@x/core';
import { type FunctionDefinition, ToolRegistry } from '@x/registry';
import type { ModuleTools } from './module-loader.ts';
import type { OrgActions } from './org-actions.ts';
import { type OrgAnswer, type OrgTool, orgTools } from './org-tools.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import type { ToolCallOutcome } from './tool-call-refusal.ts';

/** A call that may run. */
export interface PermittedCall {
  readonly toolName: string;
  readonly args: unknown;
  readonly context: ToolCallContext;
  readonly agentId: string;
  /** Aborted when the caller, the agent or the runtime is gone. */
  readonly signal: AbortSignal;
}

/** What runs a tool, found for one call. */
export type ToolBody = (call: PermittedCall) => Promise<ToolCallOutcome>;

/** Tool names as models know them. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Work of the organisation, as opposed to looking up and making roles. */
const NEEDS_ORGANIZATION = new Set(['spawn_agent', 'spawn_agent_with_task', 'terminate_agent', 'send_message']);

/** Knows what runs each tool: a module for its own group, what the host handed in, the organisation. Decides nothing. */
export class ToolRunner {
  readonly #handedIn = new ToolRegistry({ namePattern: NAME });
  readonly #live: ReadonlyMap<string, Tool>;
  readonly #orgTools: ReadonlyMap<string, OrgTool>;
  readonly #actions: OrgActions;
  readonly #hasOrganization: boolean;
  readonly #moduleFor: (toolName: string, groupIds: readonly string[]) => ModuleTools | undefined;

  /** @throws ValidationError when two tools bear one name */
  constructor(options: {
    readonly tools: readonly Tool[];
    readonly actions: OrgActions;
    readonly hasOrganization: boolean;
    moduleFor(toolName: string, groupIds: readonly string[]): ModuleTools | undefined;
  }) {
    for (const tool of options.tools) this.#handedIn.add(tool);
    this.#live = new Map(this.#handedIn.tools().map((tool) => [tool.name, tool]));
    this.#orgTools = new Map(orgTools().map((tool) => [tool.name, tool]));
    this.#actions = options.actions;
    this.#hasOrganization = options.hasOrganization;
    this.#moduleFor = (toolName, groupIds) => options.moduleFor(toolName, groupIds);
  }

  /** What models are told of the tools handed in, and of those of the organisation. */
  definitions(): ReadonlyMap<string, FunctionDefinition> {
    const org = [...this.#orgTools.values()].map(({ name, definition }) => [name, definition] as const);
    const handedIn = this.#handedIn.functionDefinitions().map((one) => [one.function.name, one] as const);
    return new Map([...org, ...handedIn]);
  }

  /** The tool the host handed in under this name, unless a module runs it for these groups. */
  handedIn(toolName: string, groupIds: readonly string[]): Tool | undefined {
    return this.#moduleFor(toolName, groupIds) ? undefined : this.#live.get(toolName);
  }

  /** What runs the tool for an agent with these groups; undefined when nobody was handed in who does. */
  bodyOf(toolName: string, groupIds: readonly string[]): ToolBody | undefined {
    const module = this.#moduleFor(toolName, groupIds);
    if (module) return async ({ context, args }) => done(await module.execute(context, toolName, args));
    const tool = this.#live.get(toolName);
    if (tool) return async (call) => done(await this.#runTool(tool, call));
    const org = this.#orgTools.get(toolName);
    if (!org || (NEEDS_ORGANIZATION.has(toolName) && !this.#hasOrganization)) return undefined;
    return async ({ args, agentId, signal }) => {
      const answer = await org.call(this.#actions, args, { agentId, signal });
      return isRefusal(answer) ? { ok: false, refusal: { ...answer, toolName } } : done(answer);
    };
  }

  #runTool(tool: Tool, { args, context, signal }: PermittedCall): Promise<unknown> {
    const input = args as Readonly<Record<string, unknown>>; // the registry checks what it gets
    if (!context.toolContext) return this.#handedIn.execute(tool.name, input, { signal });
    return drained(tool, input, { ...context.toolContext, signal });
  }
}

function done(value: unknown): ToolCallOutcome {
  return { ok: true, value };
}

function isRefusal(answer: OrgAnswer): answer is Extract<OrgAnswer, { readonly error: string }> {
  return 'error' in answer;
}

async function drained(tool: Tool, args: unknown, context: ToolContext): Promise<unknown> {
  const input = tool.inputSchema.parse(args);
  const { output, isError, ...rest } = await runTool(tool, input, context);
  if (isError) throw new ToolExecutionError(output, undefined, { toolName: tool.name, input });
  return Object.hasOwn(rest, 'data') ? rest.data : output;
}
