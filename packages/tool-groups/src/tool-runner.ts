import { type Tool, type ToolContext, ToolExecutionError } from '@x/core';
import { readToEnd } from '@x/core/streams';
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

/** Runs a tool; found for one call. */
export type ToolBody = (call: PermittedCall) => Promise<ToolCallOutcome>;

/** Tool names that models accept. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Actions of the organisation, unlike finding and creating roles. */
const NEEDS_ORGANIZATION = new Set(['spawn_agent', 'spawn_agent_with_task', 'terminate_agent', 'send_message']);

/** Finds the implementation of each tool: a module for its own group, the host's tools, the organisation. Decides nothing. */
export class ToolRunner {
  readonly #handedIn = new ToolRegistry({ namePattern: NAME });
  readonly #live: ReadonlyMap<string, Tool>;
  readonly #orgTools: ReadonlyMap<string, OrgTool>;
  readonly #actions: OrgActions;
  readonly #hasOrganization: boolean;
  readonly #moduleFor: (toolName: string, groupIds: readonly string[]) => ModuleTools | undefined;

  /** @throws ValidationError when two tools have the same name */
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

  /** Definitions of the host's tools, and of those of the organisation. */
  definitions(): ReadonlyMap<string, FunctionDefinition> {
    const org = [...this.#orgTools.values()].map(({ name, definition }) => [name, definition] as const);
    const handedIn = this.#handedIn.functionDefinitions().map((one) => [one.function.name, one] as const);
    return new Map([...org, ...handedIn]);
  }

  /** The host's tool of this name, unless a module runs it for these groups. */
  handedIn(toolName: string, groupIds: readonly string[]): Tool | undefined {
    return this.#moduleFor(toolName, groupIds) ? undefined : this.#live.get(toolName);
  }

  /** The implementation of the tool for an agent with these groups; undefined without one. */
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
  const { output, isError, ...rest } = await readToEnd(tool.execute(input, context));
  if (isError) throw new ToolExecutionError(output, undefined, { toolName: tool.name, input });
  return Object.hasOwn(rest, 'data') ? rest.data : output;
}
