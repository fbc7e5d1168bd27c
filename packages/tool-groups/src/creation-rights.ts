import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { AgentToSpawn, AgentTree } from './agent-tree.ts';
import { ownCopy } from './check-role.ts';
import type { NewAgent, NewMail, NewRole, NewSpawn } from './org-actions.ts';
import { agentNotFound, OrganizationError } from './organization-error.ts';
import type { Role } from './role.ts';
import { type RoleBook, roleNotFound } from './role-book.ts';
import { ROOT_AGENT_ID } from './root-agent.ts';

/** What decides who may make which roles and agents. */
export interface CreationRights {
  readonly roles: RoleBook;
  readonly agents: AgentTree;
  groupsOf(agentId: string): readonly string[];
  allGroupIds(): readonly string[];
}

const AGENT: OptionRules<NewAgent> = {
  roleId: is.required(is.filledText),
  createdBy: is.filledText,
  id: is.filledText,
};
const SPAWN: OptionRules<NewSpawn> = { ...AGENT, task: is.filledText };
const MAIL: OptionRules<NewMail> = {
  from: is.filledText,
  to: is.required(is.filledText),
  text: is.required(is.filledText),
};

/** A copy of a role that may be made; all of its copies here are read once: what is looked at is what is done. @throws OrganizationError */
export function creatableRole(role: NewRole, rights: CreationRights): NewRole {
  const own = ownCopy(role);
  const { createdBy, toolGroups } = own;
  if (createdBy === undefined) return own;
  checkLiving(createdBy, rights);
  checkHandingOut(toolGroups, createdBy, rights);
  return own;
}

/** A copy of an agent that may be entered. @throws OrganizationError, ValidationError */
export function creatableAgent(agent: NewAgent, rights: CreationRights): NewAgent {
  const own = ownCopy(agent);
  checkOptions('An agent', own, AGENT);
  checkLiving(own.createdBy ?? ROOT_AGENT_ID, rights);
  roleOf(own, rights);
  return own;
}

/** An agent that may be started, with its role. @throws OrganizationError, ValidationError */
export function spawnableAgent(agent: NewSpawn, rights: CreationRights): AgentToSpawn {
  const own = ownCopy(agent);
  checkOptions('An agent', own, SPAWN);
  const { roleId, ...rest } = own;
  const { createdBy = ROOT_AGENT_ID } = own;
  checkLiving(createdBy, rights);
  const role = roleOf(own, rights);
  if (role.status !== 'active') {
    const message = `The role ${roleId} is inactive; no agent of it can be made`;
    throw new OrganizationError(message, { code: 'ROLE_INACTIVE' });
  }
  if (createdBy !== ROOT_AGENT_ID) checkHandingOut(role.toolGroups, createdBy, rights);
  return { ...rest, role };
}

/** A copy of a message with all it needs. @throws ValidationError */
export function sendableMail(mail: NewMail): NewMail {
  const own = ownCopy(mail);
  checkOptions('A message', own, MAIL);
  return own;
}

function roleOf({ roleId }: NewAgent, { roles }: CreationRights): Role {
  const role = roles.get(roleId);
  if (!role) throw roleNotFound(roleId);
  return role;
}

function checkLiving(agentId: string, { agents }: CreationRights): void {
  if (!agents.get(agentId)) throw agentNotFound(agentId);
}

/** The root agent hands out any group there is, every other agent only its own. @throws OrganizationError naming what is too much */
function checkHandingOut(
  asked: readonly string[] | undefined,
  from: string,
  { groupsOf, allGroupIds }: CreationRights,
): void {
  const isRoot = from === ROOT_AGENT_ID;
  const may = isRoot ? allGroupIds() : groupsOf(from);
  const list = Array.isArray(asked) ? (asked as readonly string[]) : []; // what is no list is refused where the role is read
  const toolGroups = list.filter((id) => !may.includes(id));
  if (toolGroups.length === 0) return;
  const message = isRoot
    ? `There is no tool group ${toolGroups.join(', ')}; there are ${may.join(', ')}`
    : `${from} has no tool group ${toolGroups.join(', ')} to hand out; it has ${may.join(', ') || 'none'}`;
  const code = isRoot ? 'UNKNOWN_TOOL_GROUP' : 'TOOL_GROUPS_EXCEEDED';
  throw new OrganizationError(message, { code, details: { toolGroups } });
}
