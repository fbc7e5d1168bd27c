import { AbortError, SessionError, type StreamMessage, userMessage, ValidationError } from '@x/core';
import { checkValue } from '@x/errors/option-rules';
import type { Organization, Role, Runtime } from '@x/tool-groups';
import type { AgentMail, SpawnedAgent } from '@x/tool-groups/internal';
import { createSession } from '../create-session.ts';
import type { RunEngine } from '../engine/run-engine.ts';
import type { InboxItem } from '../log/session-store.ts';
import { METADATA } from '../log/title.ts';
import type { ISession } from '../options/session-interface.ts';
import type { SessionOptions } from '../options/types.ts';
import { recordAsked } from '../run/title-and-metadata.ts';
import { answerTo, lastAnswer } from './agent-answer.ts';
import { optionsOfAgent, ROOT } from './agent-options.ts';
import { type AgentRecord, agentMetadata, endedMetadata, markEnded } from './agent-record.ts';
import type { OrganizationOptions } from './organization-options.ts';
import { countedEngine, Workload } from './workload.ts';

const MAX_TITLE = 100;

/** Runs each agent as a session of its own; the host runs root. */
export class AgentSessions implements Organization {
  readonly workload: Workload = new Workload();
  readonly #options: OrganizationOptions;
  /** The engine for asks for agents. */
  readonly engine: RunEngine;
  readonly #agents = new Map<string, AgentRecord>();
  readonly #byId = new Map<string, AgentRecord>();
  /** Agents that run now. */
  readonly #open = new Map<string, { readonly session: ISession; readonly closed: Promise<void> }>();
  /** Agents whose termination has begun. */
  readonly #ended = new Set<string>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #spawning = new Set<string>();
  #runtime: Runtime | undefined;

  constructor(options: OrganizationOptions, engine: RunEngine) {
    this.#options = options;
    const isAgent = (sessionId: string) => this.#byId.has(sessionId) && this.agentOf(sessionId) !== ROOT;
    this.engine = countedEngine(engine, { workload: this.workload, isAgent });
  }

  /** Sets the runtime whose decisions apply; before any agent. */
  begin(runtime: Runtime): void {
    this.#runtime = runtime;
  }

  /** Registers an agent whose session exists. */
  enter(agent: AgentRecord): void {
    this.#agents.set(agent.agentId, agent);
    this.#byId.set(agent.sessionId, agent);
  }

  sessionOf(agentId: string): string | undefined {
    return this.#agents.get(agentId)?.sessionId;
  }

  agentOf(sessionId: string): string {
    return this.#byId.get(sessionId)?.agentId ?? '';
  }

  /** Options of an agent's session; undefined for one that is not run here. */
  optionsFor(sessionId: string): SessionOptions | undefined {
    const agent = this.#byId.get(sessionId);
    if (!agent || agent.agentId === ROOT || this.#ended.has(agent.agentId)) return undefined;
    const role = this.#ready.getRole(agent.roleId);
    if (role?.status === 'active') return this.#optionsOf(agent.agentId, role);
    this.workload.forget(sessionId); // asked for again by the next message
    return undefined;
  }

  async spawn(agent: SpawnedAgent, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { id: agentId, roleId, role, createdBy, task } = agent;
    if (signal.aborted) throw new AbortError();
    if (agentId === ROOT || this.#agents.has(agentId) || this.#spawning.has(agentId)) {
      throw new SessionError(`There is an agent ${agentId} already`, { code: 'SESSION_EXISTS' });
    }
    this.#spawning.add(agentId);
    try {
      const facts = { agentId, roleId, createdBy };
      checkValue('metadata', agentMetadata(this.#options.id, facts), METADATA);
      const session = await createSession({
        ...this.#optionsOf(agentId, role),
        store: this.#options.store,
        title: role.name.slice(0, MAX_TITLE),
      });
      await session.close();
      await this.#begin({ ...facts, sessionId: session.sessionId }, { task, signal });
    } finally {
      this.#spawning.delete(agentId);
    }
  }

  async send(mail: AgentMail, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (signal.aborted) throw new AbortError();
    await this.#deliver(mail);
  }

  async terminate(agentId: string): Promise<void> {
    const agent = this.#agents.get(agentId);
    if (!agent || agentId === ROOT) return;
    let ending = this.#ending.get(agentId);
    if (!ending) {
      ending = this.#end(agent).finally(() => this.#ending.delete(agentId));
      this.#ending.set(agentId, ending);
    }
    await ending;
  }

  /** A session was opened for an ask. */
  opened(session: ISession): (isDone: boolean) => void {
    const { sessionId } = session;
    const agentId = this.agentOf(sessionId);
    if (agentId === '' || this.#ended.has(agentId)) throw new AbortError(`The agent ${agentId} was terminated`);
    const done = this.workload.begun(sessionId);
    const closed = Promise.withResolvers<void>();
    this.#open.set(sessionId, { session, closed: closed.promise });
    return (isDone) => {
      this.#open.delete(sessionId);
      closed.resolve();
      if (isDone) done();
    };
  }

  /** Handles an event of an agent; the end of a run is its answer to its creator. */
  async saw(event: StreamMessage, sessionId: string): Promise<void> {
    const agent = this.#byId.get(sessionId);
    if (!agent) return;
    try {
      await this.#options.onEvent?.(event, agent.agentId);
    } finally {
      // A failing observer does not hold back the answer.
      if (event.type === 'result') {
        await this.#answer(agent, await answerTo(event, { store: this.#options.store, sessionId }));
      }
    }
  }

  /** Asks for the agents one of whose questions a person has answered, before the engine finds them. */
  async takeAnswers(): Promise<void> {
    for (const { agentId, sessionId } of this.#agents.values()) {
      if (agentId === ROOT || this.workload.isBusy(sessionId)) continue;
      const inbox = await this.#options.store.inbox(sessionId).catch(() => []); // the engine looks again
      if (inbox.some(({ answer }) => answer)) await this.engine.submit(sessionId);
    }
  }

  /** Sends an answer that a crash may have held back. */
  async recover(agent: AgentRecord): Promise<void> {
    const { store } = this.#options;
    await this.#answer(agent, await lastAnswer(store, agent.sessionId));
  }

  /**
   * Creates the agent's session, unless the agent was terminated in the meantime. Its task comes first: a crash before the session says
   * whose it is leaves no agent, and never one without its task.
   */
  async #begin(
    agent: AgentRecord,
    { task, signal }: { readonly task: string | undefined; readonly signal: AbortSignal },
  ): Promise<void> {
    const { agentId, sessionId, createdBy } = agent;
    const { store, id } = this.#options;
    try {
      if (signal.aborted) throw new AbortError();
      if (task !== undefined) {
        const mail = { id: `task:${sessionId}`, from: createdBy, to: agentId, text: task };
        await store.enqueue(sessionId, itemOf(mail));
      }
      await recordAsked(store, sessionId, { metadata: agentMetadata(id, agent) });
      if (signal.aborted) throw new AbortError();
      this.enter(agent);
      if (task !== undefined) await this.engine.submit(sessionId);
    } catch (error) {
      this.#leave(agent);
      await store.remove(sessionId);
      throw error;
    }
  }

  async #end(agent: AgentRecord): Promise<void> {
    const { agentId, sessionId } = agent;
    this.#ended.add(agentId);
    const { store, id } = this.#options;
    const metadata = endedMetadata(id, agent);
    const open = this.#open.get(sessionId);
    // Noted before it is stopped: a crash in between must not bring it back.
    if (open) await open.session.setMetadata(metadata).catch(() => undefined); // it is just closing
    open?.session.abort();
    await open?.closed;
    await markEnded(store, sessionId, metadata);
    this.#leave(agent);
    this.#ended.delete(agentId);
    this.workload.forget(sessionId);
  }

  async #answer(agent: AgentRecord, answer: { readonly id: string; readonly text: string } | undefined): Promise<void> {
    if (!answer || this.#ended.has(agent.agentId)) return;
    await this.#deliver({ ...answer, from: agent.agentId, to: agent.createdBy });
  }

  /** Delivers a mail; durable when it resolves, and harmless when repeated. */
  async #deliver(mail: AgentMail): Promise<void> {
    const { to } = mail;
    const receiver = this.#agents.get(to);
    if (!receiver || this.#ended.has(to)) {
      throw new SessionError(`There is no agent ${to}`, { code: 'SESSION_NOT_FOUND' });
    }
    const isNew = await this.#options.store.enqueue(receiver.sessionId, itemOf(mail));
    if (!isNew) return;
    if (to === ROOT) this.workload.changed();
    else await this.engine.submit(receiver.sessionId);
  }

  #leave({ agentId, sessionId }: AgentRecord): void {
    this.#agents.delete(agentId);
    this.#byId.delete(sessionId);
  }

  #optionsOf(agentId: string, role: Role): SessionOptions {
    return optionsOfAgent({
      agentId,
      role,
      runtime: this.#ready,
      options: this.#options,
      isEnded: () => this.#ended.has(agentId),
    });
  }

  get #ready(): Runtime {
    if (this.#runtime) return this.#runtime;
    throw new ValidationError('The organisation has no runtime yet');
  }
}

function itemOf({ id, from, text }: AgentMail): InboxItem {
  return { message: { ...userMessage(`Message from the agent ${from}:\n\n${text}`), id }, priority: 'next' };
}
