import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { AgentTree } from './agent-tree.ts';
import { ownCopy } from './check-role.ts';
import { checkHandingOut } from './handing-out.ts';
import type { AgentInfo, NewAgent, NewMail, NewRole, NewSpawn, OrgActions } from './org-actions.ts';
import type { AgentMail } from './organization.ts';
import { OrganizationError } from './organization-error.ts';
import type { Role } from './role.ts';
import { type RoleBook, roleNotFound } from './role-book.ts';
import { ROOT_AGENT_ID } from './root-agent.ts';

/** Everything that the desk needs. */
export interface OrgDeskParts {
  readonly roles: RoleBook;
  readonly agents: AgentTree;
  groupsOf(agentId: string): readonly string[];
  allGroupIds(): readonly string[];
  /** Aborted when the runtime is shut down. */
  readonly life: AbortSignal;
}
/** Limits a wait. */
interface Waiting {
  readonly signal?: AbortSignal;
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

/** Checks requests of hosts and agents to an organisation, then carries them out. */
export class OrgDesk implements OrgActions {
  readonly #parts: OrgDeskParts;

  constructor(parts: OrgDeskParts) {
    this.#parts = parts;
  }

  findRoleByName(name: string): Role | undefined {
    return this.#parts.roles.findByName(name);
  }

  /**
   * Creates and saves a role. With `createdBy`, an agent gives only groups it has itself, root any that exist; the host may name groups
   * that are registered later. @throws OrganizationError, ValidationError naming the invalid field
   */
  async createRole(role: NewRole): Promise<Role> {
    const own = ownCopy(role);
    const { createdBy: from, toolGroups } = own;
    if (from !== undefined) {
      this.#living(from);
      this.#checkHandingOut(toolGroups, from);
    }
    return await this.#parts.roles.create(own, { isNameUnique: from !== undefined });
  }

  /** Registers an agent that exists already. */
  createAgent(agent: NewAgent): AgentInfo {
    const own = ownCopy(agent);
    checkOptions('An agent', own, AGENT);
    this.#living(own.createdBy ?? ROOT_AGENT_ID);
    this.#roleOf(own);
    return this.#parts.agents.adopt(own);
  }

  async spawnAgent(agent: NewSpawn, options: Waiting = {}): Promise<AgentInfo> {
    const own = ownCopy(agent);
    checkOptions('An agent', own, SPAWN);
    const { roleId: _, ...rest } = own;
    return await this.#parts.agents.spawn({ ...rest, role: this.#spawnable(own) }, this.#waiting(options));
  }

  async terminateAgent(
    agentId: string,
    { by, signal }: { readonly by?: string; readonly signal?: AbortSignal } = {},
  ): Promise<readonly string[]> {
    return await this.#parts.agents.terminate(agentId, {
      ...(by === undefined ? {} : { by }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async sendMessage(mail: NewMail, options: Waiting = {}): Promise<AgentMail> {
    const own = ownCopy(mail);
    checkOptions('A message', own, MAIL);
    return await this.#parts.agents.send(own, this.#waiting(options));
  }

  /** The role of an agent that may be created. */
  #spawnable(agent: NewAgent): Role {
    const { roleId, createdBy = ROOT_AGENT_ID } = agent;
    this.#living(createdBy);
    const role = this.#roleOf(agent);
    if (role.status !== 'active') {
      throw new OrganizationError(`The role ${roleId} is inactive; no agent of it can be made`, {
        code: 'ROLE_INACTIVE',
      });
    }
    if (createdBy !== ROOT_AGENT_ID) this.#checkHandingOut(role.toolGroups, createdBy);
    return role;
  }

  #roleOf({ roleId }: NewAgent): Role {
    const role = this.#parts.roles.get(roleId);
    if (!role) throw roleNotFound(roleId);
    return role;
  }

  #checkHandingOut(asked: readonly string[] | undefined, from: string): void {
    checkHandingOut({ ...this.#parts, asked, from });
  }

  #living(agentId: string): AgentInfo {
    const agent = this.#parts.agents.get(agentId);
    if (agent) return agent;
    throw new OrganizationError(`There is no agent ${agentId}`, { code: 'AGENT_NOT_FOUND' });
  }

  #waiting({ signal }: Waiting): { readonly signal: AbortSignal } {
    return { signal: signal ? AbortSignal.any([signal, this.#parts.life]) : this.#parts.life };
  }
}

/** Reads the value once, its lists too: what is checked is what is used. */
