import { type Model, type Tool, ValidationError } from '@x/core';
import type { AgentDefinition } from '@x/executor';
import type { PermissionPolicy } from '@x/handlers';
import { ruleAgainstService } from '@x/handlers/internal';
import { type Discovery, discovery } from './discovery-handler.ts';
import { type DiscoveryMode, discoveryOptions, type ToolDiscoveryOptions } from './discovery-options.ts';
import { CALL_TOOL, TOOL_SEARCH } from './discovery-tools.ts';
import { tokensOf } from './tool-parts.ts';

interface SessionTools {
  readonly toolDiscovery?: DiscoveryMode | ToolDiscoveryOptions;
  readonly mcpServers?: Readonly<Record<string, unknown>>;
}

/**
 * The discovery of a session; undefined when no tool can be deferred. `own` are the host's tools, `serverTools` those of servers that were
 * offered last.
 * @throws ValidationError for a tool of the host with one of its names
 */
export function sessionDiscovery(
  options: SessionTools,
  own: readonly Tool[],
  serverTools: () => readonly Tool[],
): Discovery | undefined {
  const chosen = discoveryOptions(options.toolDiscovery);
  const hasServers = Object.keys(options.mcpServers ?? {}).length > 0;
  const further = own.filter(({ replace, computer }) => !replace && !computer); // the service defines that one itself
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
    serverTools,
  });
}

/**
 * Refuses a search by the service where that of a model has none, or a rule denies it; `models` are the session's and its fallbacks.
 * @throws ValidationError naming the option and the model, or the rule
 */
export function admitServiceSearch(
  { toolDiscovery }: SessionTools,
  models: readonly Model[],
  policy: PermissionPolicy,
): void {
  const { by, mode } = discoveryOptions(toolDiscovery);
  if (by === 'session' || mode === 'off') return;
  const refuse = (why: string) => new ValidationError(`toolDiscovery.by: ${why}`, 'toolDiscovery.by');
  const rule = ruleAgainstService('tool_search', policy);
  if (rule) throw refuse(`is denied by the rule ${rule.text}; leave out one of them`);
  const lacking = models.find(({ defersTools }) => !defersTools);
  if (!lacking) return;
  throw refuse(`the service of ${lacking.name} has no search of tools; leave it out, and the session searches`);
}

/** Agents that have some tools only may search among them. */
export function searching(agent: AgentDefinition): AgentDefinition {
  return agent.tools?.length ? { ...agent, tools: [...agent.tools, TOOL_SEARCH, CALL_TOOL] } : agent;
}
