import { AbortError, isAgentError, type ResultMessage, type StreamMessage } from '@x/core';
import { unlessAborted } from '@x/core/internal';
import type { AgentInfo, Runtime } from '@x/tool-groups';
import type { ISession } from '../options/session-interface.ts';
import type { AgentSessions } from './agent-sessions.ts';

/** An agent, and what it is doing. */
export interface OrganizationAgent extends AgentInfo {
  readonly sessionId: string;
  /** True while messages wait for it, or it runs; of root always false: the host runs it. */
  readonly isBusy: boolean;
}

/** Agents that work for each other, each a session of its own. Closed by whoever made it. */
export interface SessionOrganization extends AsyncDisposable {
  readonly id: string;
  /** Roles, agents, groups of tools, modules. Closed with the organisation. */
  readonly runtime: Runtime;
  /** The agent that the host talks to; run by `stream()` of the organisation or its own. Closed with the organisation. */
  readonly root: ISession;
  /** Root first, then in order of creation. */
  agents(): readonly OrganizationAgent[];
  /**
   * Runs root, again for each answer that arrives, until no agent has anything left to do; yields the events of root's runs. It also ends
   * when root waits for a person, or can only fail as before: answer, or mend it, and call it again. Leaving it aborts a run of root, not
   * those of others. @throws AbortError when the signal is aborted while root waits, SessionError `SESSION_CLOSED` when it is closed
   */
  stream(options?: { readonly signal?: AbortSignal }): AsyncGenerator<StreamMessage, void, void>;
  /**
   * Stops all agents where they are, as a crash would; the same id continues them later. A run of root that is under way is aborted. Safe
   * to call twice.
   */
  close(): Promise<void>;
}

/** Closes one thing that was opened. */
export type Closer = () => Promise<void>;

/** Closes everything, the last opened first. @throws the first error, after all were tried */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

interface OpenParts {
  readonly id: string;
  readonly runtime: Runtime;
  readonly agents: AgentSessions;
  readonly root: ISession;
  readonly closers: Closer[];
  readonly signal: AbortSignal | undefined;
}

/** The organisation over served sessions. */
export function openOrganization(parts: OpenParts): SessionOrganization {
  return new OpenOrganization(parts);
}

class OpenOrganization implements SessionOrganization {
  readonly id: string;
  readonly runtime: Runtime;
  readonly root: ISession;
  readonly #parts: OpenParts;
  #closing: Promise<void> | undefined;
  readonly #onAbort = () => void this.close().catch(() => undefined); // whoever closes it is told

  constructor(parts: OpenParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.runtime = parts.runtime;
    this.root = parts.root;
    parts.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (parts.signal?.aborted) this.#onAbort();
  }

  agents(): readonly OrganizationAgent[] {
    const { agents } = this.#parts;
    return this.runtime.listAgents().map((agent) => {
      const sessionId = agents.sessionOf(agent.id) ?? '';
      return { ...agent, sessionId, isBusy: agents.workload.isBusy(sessionId) };
    });
  }

  async *stream({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<StreamMessage, void, void> {
    const { agents } = this.#parts;
    const { workload } = agents;
    const stop = () => this.root.abort();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await agents.takeAnswers();
      for (let failed: string | undefined; ; ) {
        if (signal?.aborted) throw new AbortError();
        const change = workload.nextChange();
        const { isIdle } = workload; // before root looks: what is done by now has sent its answer
        const result = yield* runOf(this.root);
        // A run that waits, or fails with the same message once more, would do so again at once.
        const isStuck = result?.subtype === 'waiting' || (result && result.messageId === failed);
        failed = result && result.subtype !== 'success' ? result.messageId : undefined;
        if (result && !isStuck) continue;
        if (isIdle) return;
        await unlessAborted(() => change, signal);
      }
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  close(): Promise<void> {
    this.#parts.signal?.removeEventListener('abort', this.#onAbort);
    this.#closing ??= closeAll(this.#parts.closers);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Runs root once; returns the result, or undefined when there was nothing to run. */
async function* runOf(root: ISession): AsyncGenerator<StreamMessage, ResultMessage | undefined, void> {
  try {
    let result: ResultMessage | undefined;
    for await (const event of root.stream()) {
      if (event.type === 'result') result = event;
      yield event;
    }
    return result;
  } catch (error) {
    if (isAgentError(error) && error.code === 'NOTHING_TO_STREAM') return undefined;
    throw error;
  }
}
