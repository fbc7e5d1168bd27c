import type { Logger, Tool } from '@x/core';
import { quietly } from '@x/core/internal';
import { checkOptions } from '@x/errors/option-rules';
import type { FunctionDefinition } from '@x/registry';
import { type AccessFacts, toolGroupsOf } from './access.ts';
import { agentTools } from './agent-tools.ts';
import { AgentTree } from './agent-tree.ts';
import { type CreationRights, creatableAgent, creatableRole, sendableMail, spawnableAgent } from './creation-rights.ts';
import { memoryRoleStore } from './memory-role-store.ts';
import type { ModuleReport, ToolModule } from './module.ts';
import { ModuleLoader } from './module-loader.ts';
import type { AgentInfo, NewAgent, NewMail, NewRole, NewSpawn, OrgActions } from './org-actions.ts';
import type { AgentMail } from './organization.ts';
import { builtinGroups, ownGroups } from './own-groups.ts';
import type { Role } from './role.ts';
import { RoleBook, type RoleChanges } from './role-book.ts';
import { RuntimeLifecycle } from './runtime-lifecycle.ts';
import { configured, RUNTIME, type RuntimeOptions } from './runtime-options.ts';
import type { ToolCallContext } from './tool-call-context.ts';
import { ToolCaller } from './tool-caller.ts';
import { ToolGroupManager } from './tool-group-manager.ts';
import { ToolRunner } from './tool-runner.ts';

/** Limits a wait. */
interface Waiting {
  readonly signal?: AbortSignal;
}

/**
 * Agents, their roles, and the tools that each may see and run: one decision, made when it is needed, is behind the list and behind every
 * call. Call `init` before use, `shutdown` after.
 */
export class Runtime implements OrgActions {
  /** The registered groups. The host may register and update; modules get a registrar. */
  readonly toolGroupManager: ToolGroupManager;
  readonly #defaults: 'all' | readonly string[];
  readonly #logger: Logger;
  readonly #agents: AgentTree;
  readonly #roles: RoleBook;
  readonly #modules: ModuleLoader;
  readonly #runner: ToolRunner;
  readonly #life: RuntimeLifecycle;
  readonly #rights: CreationRights;
  readonly #caller: ToolCaller;
  readonly #facts: AccessFacts;
  #hasWarned = false;

  /** @throws ValidationError naming the invalid option */
  constructor(options: RuntimeOptions = {}) {
    checkOptions('Runtime options', options, RUNTIME);
    const { roles, organization, tools = [], limits = {} } = options;
    const logger = quietly(options.logger);
    this.#defaults = Array.isArray(options.defaultToolGroups) ? [...options.defaultToolGroups] : 'all';
    this.#logger = logger;
    this.toolGroupManager = new ToolGroupManager({ logger });
    this.#agents = new AgentTree({ ...limits, logger, ...(organization ? { organization } : {}) });
    this.#roles = new RoleBook(roles ?? memoryRoleStore());
    this.#modules = new ModuleLoader({ groups: this.toolGroupManager, logger });
    this.#runner = new ToolRunner({
      tools,
      actions: this,
      hasOrganization: organization !== undefined,
      moduleFor: (toolName, groupIds) => this.#modules.moduleFor(toolName, groupIds),
    });
    const definitions = this.#runner.definitions();
    this.#life = new RuntimeLifecycle({
      roles: this.#roles,
      groups: this.toolGroupManager,
      modules: this.#modules,
      builtinGroups: builtinGroups(definitions),
      ownGroups: ownGroups(options.toolGroups ?? {}, definitions),
      configured: (options.config?.modules ?? []).map(configured),
      toolNames: tools.map(({ name }) => name),
      logger,
    });
    const agents = this.#agents;
    const groupsOf = (agentId: string) => this.toolGroupsOf(agentId);
    const allGroupIds = () => this.toolGroupManager.getAllGroupIds();
    this.#rights = { roles: this.#roles, agents, groupsOf, allGroupIds };
    const [groups, runner, life] = [this.toolGroupManager, this.#runner, this.#life.signal];
    this.#caller = new ToolCaller({ groups, agents, runner, groupsOf, life, logger });
    this.#facts = {
      agent: (agentId) => (this.#life.isReady ? this.#agents.get(agentId) : undefined),
      role: (roleId) => this.#roles.get(roleId),
      defaultGroups: () => this.#defaultGroups(),
    };
  }

  /**
   * Reads the roles, registers the built-in groups as reserved, then loads the modules; one that fails is in `moduleReports` and does not
   * stop the others. A second call returns the same start. @throws errors of the role store
   */
  async init(): Promise<void> {
    await this.#life.start();
  }

  /** Aborts pending work and shuts the modules down, the last loaded first. Agents stay with their organisation. */
  shutdown(): Promise<void> {
    return this.#life.end();
  }

  /** Loads a module; a failure is an answer. */
  async loadModule(module: ToolModule, config?: unknown): Promise<ModuleReport> {
    this.#life.checkReady();
    return await this.#modules.load(module, config);
  }

  /** Removes the groups of a module and shuts it down. False for an unknown name. */
  async unloadModule(name: string): Promise<boolean> {
    this.#life.checkReady();
    return await this.#modules.unload(name);
  }

  /** The tools of an agent as definitions for a model, without those that cannot become tools; `[]` for nobody. */
  getToolDefinitionsForAgent(agentId: string): FunctionDefinition[] {
    const definitions = this.toolGroupManager.getToolDefinitions(this.toolGroupsOf(agentId));
    return definitions.filter(({ function: { name } }) => this.toolGroupManager.canBecomeTool(name));
  }

  /**
   * Runs a tool for the agent of the context, if it may use it, and resolves with its value. A refusal or a failure is an answer `{ error,
   * toolName, message }`; see `ToolCallRefusal`. Never rejects.
   */
  async executeToolCall(ctx: ToolCallContext, toolName: string, args: unknown): Promise<unknown> {
    const outcome = await this.#caller.call(ctx, toolName, args);
    return outcome.ok ? outcome.value : outcome.refusal;
  }

  /** The ids of the groups that an agent has now; limited by those of its creators. */
  toolGroupsOf(agentId: string): readonly string[] {
    return toolGroupsOf(agentId, this.#facts);
  }

  /** True when the tool is in a group of the agent and can become a tool: exactly then it is listed, and exactly then it runs. */
  canUse(agentId: string, toolName: string): boolean {
    const { toolGroupManager: groups } = this;
    return groups.canBecomeTool(toolName) && groups.isToolInGroups(toolName, this.toolGroupsOf(agentId));
  }

  /**
   * The tools of an agent for its session. Live: every call is decided again. Tools without an implementation say so; once the agent has
   * ended they refuse, even if a new agent has its id.
   */
  toolsForAgent(agentId: string): readonly Tool[] {
    const agent = this.#agents.get(agentId);
    const isSame = () => this.#agents.get(agentId) === agent;
    return agentTools({
      definitions: this.getToolDefinitionsForAgent(agentId),
      handedIn: (toolName) => this.#runner.handedIn(toolName, this.#caller.groupsWith(agentId, toolName)),
      canUse: (toolName) => isSame() && this.canUse(agentId, toolName),
      call: (toolName, args, toolContext) => {
        const caller = isSame() ? { agent: { id: agentId } } : {};
        return this.#caller.call({ ...caller, signal: toolContext.signal, toolContext }, toolName, args);
      },
      life: this.#caller.lifeOf(agentId),
    });
  }

  /** The results of loading the modules of the configuration, in their order. */
  moduleReports(): readonly ModuleReport[] {
    return this.#life.moduleReports();
  }

  /**
   * Creates and saves a role. With `createdBy`, an agent gives only groups it has itself, root any that exist; the host may name groups
   * that are registered later. @throws OrganizationError, ValidationError naming the invalid field
   */
  async createRole(role: NewRole): Promise<Role> {
    this.#life.checkReady();
    const own = creatableRole(role, this.#rights);
    return await this.#roles.create(own, { isNameUnique: own.createdBy !== undefined });
  }

  /** Changes and saves a role; its agents' permissions change immediately. @throws OrganizationError, ValidationError */
  async updateRole(id: string, changes: RoleChanges): Promise<Role> {
    this.#life.checkReady();
    return await this.#roles.update(id, changes);
  }

  /** Deletes a role; false for an unknown one. Its agents can do nothing any more. */
  async deleteRole(id: string): Promise<boolean> {
    this.#life.checkReady();
    return await this.#roles.delete(id);
  }

  /** Reads the roles again: changes saved by another process apply from now on. */
  async reloadRoles(): Promise<void> {
    this.#life.checkReady();
    await this.#roles.load();
  }

  getRole(id: string): Role | undefined {
    return this.#roles.get(id);
  }

  findRoleByName(name: string): Role | undefined {
    return this.#roles.findByName(name);
  }

  /** By `createdAt`, then by id. */
  listRoles(): Role[] {
    return this.#roles.list();
  }

  /**
   * Registers an agent that runs already, for example after a restart, or that the host runs itself; nothing is started. Its role may be
   * inactive or have more than its creator: the limits apply as always. @throws OrganizationError
   */
  createAgent(agent: NewAgent): AgentInfo {
    this.#life.checkReady();
    return this.#agents.adopt(creatableAgent(agent, this.#rights));
  }

  /** Has the organisation start an agent. Its groups are never more than those of its creator. @throws OrganizationError */
  async spawnAgent(agent: NewSpawn, options: Waiting = {}): Promise<AgentInfo> {
    this.#life.checkReady();
    return await this.#agents.spawn(spawnableAgent(agent, this.#rights), this.#withLife(options));
  }

  /** Ends an agent and all agents that it created; returns the ids, children first. @throws OrganizationError */
  async terminateAgent(agentId: string, options?: Waiting & { readonly by?: string }): Promise<readonly string[]> {
    this.#life.checkReady();
    return await this.#agents.terminate(agentId, options);
  }

  /** Resolves when the organisation has the message. @throws OrganizationError */
  async sendMessage(mail: NewMail, options: Waiting = {}): Promise<AgentMail> {
    this.#life.checkReady();
    return await this.#agents.send(sendableMail(mail), this.#withLife(options));
  }

  /** Also undefined when its end has begun. */
  getAgent(agentId: string): AgentInfo | undefined {
    return this.#agents.get(agentId);
  }

  /** The agents that can act, root first, then in order of creation. */
  listAgents(): readonly AgentInfo[] {
    return this.#agents.list();
  }

  #defaultGroups(): readonly string[] {
    if (this.#defaults !== 'all') return this.#defaults;
    if (!this.#hasWarned) this.#logger.warn({}, 'role_without_tool_groups_gets_all');
    this.#hasWarned = true;
    return this.toolGroupManager.getAllGroupIds();
  }

  #withLife({ signal }: Waiting): Waiting {
    const life = this.#life.signal;
    return { signal: signal ? AbortSignal.any([signal, life]) : life };
  }
}
