import type { AgentInfo } from './org-actions.ts';
import type { Role } from './role.ts';
import { ROOT_AGENT_ID, ROOT_TOOL_GROUPS } from './root-agent.ts';

/** The facts behind a decision, read again for each one. */
export interface AccessFacts {
  agent(agentId: string): AgentInfo | undefined;
  role(roleId: string): Role | undefined;
  /** Groups of a role without `toolGroups`. */
  defaultGroups(): readonly string[];
}

/**
 * The groups of an agent, both for listing and for executing. Root: `org_management`, whatever its role says. Nobody, or an agent whose
 * role is missing or inactive: none. Everybody else: the groups of the role that its creator has too, and so on up to the root agent, which
 * may give any.
 */
export function toolGroupsOf(agentId: string, facts: AccessFacts): readonly string[] {
  let agent = facts.agent(agentId);
  if (agent?.id === ROOT_AGENT_ID) return ROOT_TOOL_GROUPS;
  let groups = roleGroups(agent, facts);
  while (agent && agent.createdBy !== ROOT_AGENT_ID && groups.length > 0) {
    agent = facts.agent(agent.createdBy);
    const limit = new Set(roleGroups(agent, facts));
    groups = groups.filter((id) => limit.has(id));
  }
  return groups;
}

function roleGroups(agent: AgentInfo | undefined, facts: AccessFacts): readonly string[] {
  const role = agent && facts.role(agent.roleId);
  if (role?.status !== 'active') return [];
  const { toolGroups = facts.defaultGroups() } = role;
  return Array.isArray(toolGroups) ? [...new Set(toolGroups)] : []; // a store of the host may hand out anything
}
