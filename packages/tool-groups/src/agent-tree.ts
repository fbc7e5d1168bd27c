import { AbortError, type Logger } from '@x/core';
import { messageOf, quietly, unlessAborted } from '@x/core/internal';
import { type AgentNode, isBelow, isLiving } from './agent-node.ts';
import { type AgentTreeLimits, agentTreeLimits } from './agent-tree-limits.ts';
import { boundedCall } from './bounded-call.ts';
import type { AgentInfo, NewAgent, NewMail } from './org-actions.ts';
import type { AgentMail, Organization } from './organization.ts';
import { agentNotFound, OrganizationError } from './organization-error.ts';
import type { Role } from './role.ts';
import { ROOT_AGENT_ID } from './root-agent.ts';

/** Options of an `AgentTree`. */
export interface AgentTreeOptions extends Partial<AgentTreeLimits> {
  /** Runs the agents; without it nothing can be spawned and no message sent. */
  readonly organization?: Organization;
  readonly logger?: Logger;
}

/** An agent to spawn; the caller has checked that its creator may. */
export interface AgentToSpawn extends Omit<NewAgent, 'roleId'> {
  readonly role: Role;
  readonly task?: string;
}

interface Waiting {
  readonly signal?: AbortSignal;
}

/**
 * The agents, their creators, and the life of each: spawned, running, ending. It asks the organisation to run them and knows nothing of
 * tools. Agents end children first; from the moment an end begins, the agent and everybody below it can do nothing, and their pending work
 * is aborted. All methods throw or reject with `OrganizationError`.
 */
export class AgentTree {
  readonly #nodes = new Map<string, AgentNode>();
  readonly #root: AgentNode;
  readonly #organization: Organization | undefined;
  readonly #limits: AgentTreeLimits;
  readonly #logger: Logger;

  /** @throws ValidationError for a limit that is not a whole number from 1 */
  constructor({ organization, logger, ...limits }: AgentTreeOptions = {}) {
    this.#organization = organization;
    this.#logger = quietly(logger);
    this.#limits = agentTreeLimits(limits);
    this.#root = newNode(ROOT_AGENT_ID, { roleId: ROOT_AGENT_ID });
    this.#nodes.set(ROOT_AGENT_ID, this.#root);
  }

  /** Also undefined when its end has begun. */
  get(agentId: string): AgentInfo | undefined {
    const node = this.#nodes.get(agentId);
    return node && isLiving(node) ? node.info : undefined;
  }

  /** The agents that can act, the root agent first, then in order of creation. */
  list(): readonly AgentInfo[] {
    return [...this.#nodes.values()].filter(isLiving).map(({ info }) => info);
  }

  /** Aborted when the end of the agent begins. Undefined for an unknown agent. */
  signalOf(agentId: string): AbortSignal | undefined {
    return this.#nodes.get(agentId)?.life.signal;
  }

  /** Registers an agent that runs already, or that the host runs itself. */
  adopt(agent: NewAgent): AgentInfo {
    return this.#add(agent).info;
  }

  /** Starts an agent. It is registered and may act while the organisation starts it: it may be at work before this resolves. */
  async spawn({ role, task, ...agent }: AgentToSpawn, { signal }: Waiting = {}): Promise<AgentInfo> {
    const organization = this.#ready(signal);
    const node = this.#add({ ...agent, roleId: role.id });
    const { id, roleId, createdBy } = node.info;
    const started = Promise.withResolvers<boolean>();
    node.spawned = started.promise;
    const asked = boundedCall(
      (ended) =>
        organization.spawn({ id, roleId, role, createdBy, ...(task === undefined ? {} : { task }) }, { signal: ended }),
      { who: ORGANIZATION, signals: [signal, node.life.signal], timeoutMs: this.#limits.timeoutMs },
    );
    started.resolve(asked.settled);
    this.#watch(node);
    try {
      await asked.answer;
    } catch (error) {
      if (!isLiving(node)) throw agentTerminating(id);
      const ended = this.#end(node).catch((fault: unknown) => this.#notEnded(node, fault));
      if (signal?.aborted) throw new AbortError();
      if (!asked.cut) await ended;
      throw organizationFailed('SPAWN_FAILED', `The agent ${id} was not started`, error);
    }
    return node.info;
  }

  /**
   * Ends the agent and everybody below it; returns the ids that ended, children first. Two concurrent calls get the same answer. An agent
   * that the organisation could not end can do nothing anyway, and the call may be repeated.
   * `by`: the agent that asks; it may end those it created, directly or through its children, and the root agent everybody but itself.
   */
  async terminate(
    agentId: string,
    { by = ROOT_AGENT_ID, signal }: Waiting & { readonly by?: string } = {},
  ): Promise<readonly string[]> {
    if (signal?.aborted) throw new AbortError();
    const asking = this.#living(by);
    const node = this.#nodes.get(agentId);
    if (!node) throw agentNotFound(agentId);
    if (!isBelow(node, asking)) {
      const reason = `${by} may end only agents that it made, directly or through its children; ${agentId} is not one of them`;
      throw new OrganizationError(reason, { code: 'NOT_ITS_CREATOR' });
    }
    return await unlessAborted(() => this.#end(node), signal);
  }

  /** Sends a message between two living agents. One that is still being spawned gets it as soon as it exists. */
  async send({ from = ROOT_AGENT_ID, to, text }: NewMail, { signal }: Waiting = {}): Promise<AgentMail> {
    const organization = this.#ready(signal);
    const [sender, receiver] = [this.#living(from), this.#living(to)];
    if (sender === receiver) {
      throw new OrganizationError(`${from} cannot send a message to itself`, { code: 'INVALID_RECIPIENT' });
    }
    const mail: AgentMail = Object.freeze({ id: crypto.randomUUID(), from, to, text });
    const asked = boundedCall(
      async (ended) => {
        if (!(await receiver.spawned)) throw agentNotFound(to);
        if (!ended.aborted) await organization.send(mail, { signal: ended });
      },
      {
        who: ORGANIZATION,
        signals: [signal, sender.life.signal, receiver.life.signal],
        timeoutMs: this.#limits.timeoutMs,
      },
    );
    try {
      await asked.answer;
    } catch (error) {
      if (!isLiving(receiver)) throw agentTerminating(to);
      if (!isLiving(sender)) throw agentTerminating(from);
      throw signal?.aborted
        ? new AbortError()
        : organizationFailed('SEND_FAILED', `The message to ${to} was not sent`, error);
    }
    return mail;
  }

  #add({ id = crypto.randomUUID(), roleId, createdBy = ROOT_AGENT_ID }: NewAgent): AgentNode {
    if (id === ROOT_AGENT_ID) {
      throw new OrganizationError('The id root belongs to the runtime; choose another', { code: 'RESERVED_AGENT_ID' });
    }
    if (this.#nodes.has(id)) throw new OrganizationError(`There is an agent ${id} already`, { code: 'AGENT_EXISTS' });
    const creator = this.#living(createdBy);
    const { maxAgents, maxDepth } = this.#limits;
    if (this.#nodes.size > maxAgents) {
      const message = `There are ${maxAgents} agents, which is the most; terminate one that is not needed`;
      throw new OrganizationError(message, { code: 'AGENT_LIMIT' });
    }
    if (creator.depth >= maxDepth) {
      const message = `${createdBy} is ${creator.depth} levels below root and may make no agents; at most ${maxDepth}`;
      throw new OrganizationError(message, { code: 'AGENT_DEPTH_LIMIT' });
    }
    const node = newNode(id, { roleId, creator });
    this.#nodes.set(id, node);
    creator.children.add(node);
    return node;
  }

  /** Ends an agent whose end began during its spawn when the organisation has answered, however late. */
  #watch(node: AgentNode): void {
    node.spawned
      .then(() => (isLiving(node) ? undefined : this.#end(node)))
      .catch((error: unknown) => this.#notEnded(node, error));
  }

  #notEnded({ info }: AgentNode, error: unknown): void {
    this.#logger.error({ agentId: info.id, error }, 'agent_not_ended');
  }

  /** Aborts everybody below synchronously: none of them can do anything from here on. */
  #end(node: AgentNode): Promise<readonly string[]> {
    node.life.abort();
    node.ending ??= this.#endFamily(node).finally(() => {
      delete node.ending;
    });
    return node.ending;
  }

  async #endFamily(node: AgentNode): Promise<readonly string[]> {
    const below = await Promise.allSettled([...node.children].map((child) => this.#end(child)));
    await this.#endOne(node);
    const failed = below.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    this.#nodes.delete(node.info.id);
    node.creator?.children.delete(node);
    return [...below.flatMap((end) => (end.status === 'fulfilled' ? end.value : [])), node.info.id];
  }

  async #endOne(node: AgentNode): Promise<void> {
    const { id } = node.info;
    const asked = boundedCall(
      async (ended) => {
        if ((await node.spawned) && !ended.aborted) await this.#organization?.terminate(id, { signal: ended });
      },
      { who: ORGANIZATION, signals: [], timeoutMs: this.#limits.timeoutMs },
    );
    await asked.answer.catch((error: unknown) => {
      throw organizationFailed(
        'TERMINATE_FAILED',
        `The agent ${id} can do nothing any more, but was not ended; ask again`,
        error,
      );
    });
  }

  #ready(signal: AbortSignal | undefined): Organization {
    if (signal?.aborted) throw new AbortError();
    if (this.#organization) return this.#organization;
    const message = 'Nobody runs agents here; give the runtime an organization';
    throw new OrganizationError(message, { code: 'NO_ORGANIZATION' });
  }

  #living(agentId: string): AgentNode {
    const node = this.#nodes.get(agentId);
    if (!node) throw agentNotFound(agentId);
    if (!isLiving(node)) throw agentTerminating(agentId);
    return node;
  }
}

const ORGANIZATION = 'The organisation';

function newNode(id: string, { roleId, creator }: { roleId: string; creator?: AgentNode }): AgentNode {
  const info = { id, roleId, createdBy: creator?.info.id ?? id, createdAt: new Date().toISOString() };
  return {
    info: Object.freeze(info),
    depth: creator ? creator.depth + 1 : 0,
    ...(creator ? { creator } : {}),
    children: new Set(),
    life: new AbortController(),
    spawned: Promise.resolve(true),
  };
}

function agentTerminating(agentId: string): OrganizationError {
  return new OrganizationError(`The agent ${agentId} was terminated`, { code: 'AGENT_TERMINATING' });
}

function organizationFailed(
  code: 'SPAWN_FAILED' | 'SEND_FAILED' | 'TERMINATE_FAILED',
  what: string,
  cause: unknown,
): OrganizationError {
  if (cause instanceof OrganizationError) return cause;
  return new OrganizationError(`${what}: ${messageOf(cause)}`, { code, cause });
}
