import { type Tool, ValidationError } from '@x/core';
import type { AgentDefinition } from '@x/executor';
import { type Discovery, discovery, tokensOf } from './discovery-handler.ts';
import { type DiscoveryMode, discoveryOptions, type ToolDiscoveryOptions } from './discovery-options.ts';
import { CALL_TOOL, TOOL_SEARCH } from './discovery-tools.ts';

interface SessionTools {
  readonly toolDiscovery?: DiscoveryMode | ToolDiscoveryOptions;
  readonly mcpServers?: Readonly<Record<string, unknown>>;
}

/**
 * The discovery of a session; undefined when no tool can be deferred. `own` are the host's tools.
 * @throws ValidationError for a tool of the host with one of its names
 */
export function sessionDiscovery(options: SessionTools, own: readonly Tool[]): Discovery | undefined {
  const chosen = discoveryOptions(options.toolDiscovery);
  const hasServers = Object.keys(options.mcpServers ?? {}).length > 0;
  const further = own.filter(({ replace }) => !replace);
  if (chosen.mode === 'off' || (!hasServers && further.length === 0)) return undefined;
  if (!hasServers && chosen.mode === 'auto' && tokensOf(further) <= chosen.thresholdTokens) return undefined;
  const taken = own.find(({ name }) => name === TOOL_SEARCH || name === CALL_TOOL);
  if (taken) {
    const message = `toolDiscovery has a tool ${taken.name} itself; choose another name for yours, or set toolDiscovery: 'off'`;
    throw new ValidationError(message, 'tools');
  }
  const names = new Set(own.map(({ name }) => name));
  const ofHost = new Set(further.map(({ name }) => name));
  return discovery(chosen, {
    isOfServer: (name) => hasServers && name.startsWith('mcp__') && !names.has(name),
    isOfHost: (name) => ofHost.has(name),
  });
}

/** Agents that have some tools only may search among them. */
export function searching(agent: AgentDefinition): AgentDefinition {
  return agent.tools?.length ? { ...agent, tools: [...agent.tools, TOOL_SEARCH, CALL_TOOL] } : agent;
}
