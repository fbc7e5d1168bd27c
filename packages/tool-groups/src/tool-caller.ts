import type { Logger } from '@x/core';
import { messageOf, unlessAborted } from '@x/core/internal';
import type { AgentTree } from './agent-tree.ts';
import { ROOT_AGENT_ID } from './root-agent.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import {
  failed,
  notAvailable,
  notImplemented,
  type ToolCallOutcome,
  type ToolCallRefusal,
  unknownTool,
} from './tool-call-refusal.ts';
import type { ToolGroupManager } from './tool-group-manager.ts';
import type { PermittedCall, ToolRunner } from './tool-runner.ts';

/** Everything that a caller needs. */
export interface ToolCallerParts {
  readonly groups: ToolGroupManager;
  readonly agents: AgentTree;
  readonly runner: ToolRunner;
  /** The decision about groups. */
  groupsOf(agentId: string): readonly string[];
  /** Aborted when the runtime is shut down. */
  readonly life: AbortSignal;
  readonly logger: Logger;
}

/** Runs the tools that an agent may run, and refuses the others. */
export class ToolCaller {
  readonly #parts: ToolCallerParts;
  /** By the agent's own signal. */
  readonly #lives = new WeakMap<AbortSignal, AbortSignal>();

  constructor(parts: ToolCallerParts) {
    this.#parts = parts;
  }

  async call(context: ToolCallContext, toolName: string, args: unknown): Promise<ToolCallOutcome> {
    if (typeof toolName !== 'string') return refuseCall(unknownTool(`(${typeof toolName})`));
    const agentId = this.#callerOf(context);
    if (this.#parts.groups.getToolGroup(toolName) === null) return refuseCall(unknownTool(toolName));
    if (agentId === undefined) return refuseCall(notAvailable(toolName));
    const groupIds = this.groupsWith(agentId, toolName);
    if (groupIds.length === 0) return refuseCall(notAvailable(toolName));
    const body = this.#parts.runner.bodyOf(toolName, groupIds);
    if (!body) return refuseCall(notImplemented(toolName));
    try {
      const life = this.lifeOf(agentId);
      const signal = context.signal === undefined ? life : AbortSignal.any([context.signal, life]);
      const call: PermittedCall = { toolName, args, context, agentId, signal };
      return await unlessAborted(() => body(call), signal);
    } catch (error) {
      this.#parts.logger.warn({ toolName, agentId, error: messageOf(error) }, 'tool_call_failed');
      return refuseCall(failed(toolName, error));
    }
  }

  /** Aborted when the agent or the runtime is gone; created once for each agent. */
  lifeOf(agentId: string): AbortSignal {
    const { agents, life } = this.#parts;
    const own = agents.signalOf(agentId) ?? life;
    const known = this.#lives.get(own);
    if (known) return known;
    const both = AbortSignal.any([own, life]);
    this.#lives.set(own, both);
    return both;
  }

  /** The agent of a context; undefined when the context contradicts itself. */
  #callerOf(context: ToolCallContext): string | undefined {
    try {
      const { id, roleId } = context?.agent ?? {};
      const agent = typeof id === 'string' ? this.#parts.agents.get(id) : undefined;
      if (!agent || agent.id === ROOT_AGENT_ID || roleId === undefined) return agent?.id;
      return agent.roleId === roleId ? agent.id : undefined;
    } catch {
      return undefined; // what cannot be read is nobody
    }
  }

  /** The groups of the agent that have the tool, the most recently registered last; empty for a definition that cannot become a tool. */
  groupsWith(agentId: string, toolName: string): readonly string[] {
    const groups = new Set(this.#parts.groupsOf(agentId));
    if (!this.#parts.groups.canBecomeTool(toolName)) return [];
    return this.#parts.groups.getToolGroups(toolName).filter((id) => groups.has(id));
  }
}

function refuseCall(refusal: ToolCallRefusal): ToolCallOutcome {
  return { ok: false, refusal };
}
