import { OrganizationError } from './organization-error.ts';
import { ROOT_AGENT_ID } from './root-agent.ts';

/** An assignment of groups: the giver, and the groups that exist. */
export interface HandingOut {
  /** The groups asked for; absent: none by name, so that nothing exceeds the limit. */
  readonly asked: readonly string[] | undefined;
  /** The agent that gives them. */
  readonly from: string;
  readonly groupsOf: (agentId: string) => readonly string[];
  readonly allGroupIds: () => readonly string[];
}

/**
 * Checks an assignment: the root agent may give any existing group, every other agent only its own. @throws OrganizationError naming the
 * excess ones
 */
export function checkHandingOut({ asked, from, groupsOf, allGroupIds }: HandingOut): void {
  const isRoot = from === ROOT_AGENT_ID;
  const may = isRoot ? allGroupIds() : groupsOf(from);
  const list = Array.isArray(asked) ? (asked as readonly string[]) : []; // what is no list is refused where the role is read
  const tooMuch = list.filter((id) => !may.includes(id));
  if (tooMuch.length === 0) return;
  const said = tooMuch.join(', ');
  const details = { toolGroups: tooMuch };
  if (isRoot) {
    const message = `There is no tool group ${said}; there are ${may.join(', ')}`;
    throw new OrganizationError(message, { code: 'UNKNOWN_TOOL_GROUP', details });
  }
  const message = `${from} has no tool group ${said} to hand out; it has ${may.join(', ') || 'none'}`;
  throw new OrganizationError(message, { code: 'TOOL_GROUPS_EXCEEDED', details });
}
