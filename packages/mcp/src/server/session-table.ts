import type { EventStream } from './event-stream.ts';
import { CODES, RpcError } from './json-rpc.ts';
import type { McpPeer } from './peer.ts';

/** A conversation over HTTP: all its requests name it. */
export interface McpSession {
  readonly id: string;
  /** The client that it belongs to; for everybody else it does not exist. */
  readonly owner: string;
  readonly peer: McpPeer;
  /** The stream on which the client hears of changes, while it is open. */
  stream: EventStream | undefined;
  /** True when the tools have changed while no stream was open. */
  isBehind: boolean;
  usedAt: number;
}

interface Bounds {
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
}

/** The conversations that are open, in the order of their last use; bounded for each owner. */
export class SessionTable {
  readonly #sessions = new Map<string, McpSession>();
  readonly #counts = new Map<string, number>();
  readonly #bounds: Bounds;
  readonly #now: () => number;

  constructor(bounds: Bounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Begins a conversation. @throws RpcError when its owner has too many, and none of them is idle */
  open(owner: string, peer: McpPeer): McpSession {
    this.#endIdle();
    const isFull = (this.#counts.get(owner) ?? 0) >= this.#bounds.maxSessions;
    if (isFull) this.end(this.#oldestOf(owner));
    const session = {
      id: crypto.randomUUID(),
      owner,
      peer,
      stream: undefined,
      isBehind: false,
      usedAt: this.#now(),
    };
    this.#sessions.set(session.id, session);
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1);
    return session;
  }

  /** The conversation, used just now. */
  find(id: string, owner: string): McpSession | undefined {
    const session = this.#sessions.get(id);
    if (session?.owner !== owner) return undefined;
    const now = this.#now();
    if (this.#isIdle(session, now)) {
      this.end(session);
      return undefined;
    }
    session.usedAt = now;
    this.#sessions.delete(id); // so that it is the last of the map
    this.#sessions.set(id, session);
    return session;
  }

  end(session: McpSession): void {
    if (!this.#sessions.delete(session.id)) return;
    const left = this.#counts.get(session.owner)! - 1; // it was counted when it was opened
    if (left === 0) this.#counts.delete(session.owner);
    else this.#counts.set(session.owner, left);
    session.peer.end();
    session.stream?.end();
  }

  endAll(): void {
    for (const session of this.#sessions.values()) this.end(session);
  }

  /** All that are in use. */
  all(): Iterable<McpSession> {
    this.#endIdle();
    return this.#sessions.values();
  }

  #endIdle(): void {
    const now = this.#now();
    for (const session of this.#sessions.values()) {
      if (now - session.usedAt < this.#bounds.sessionIdleMs) return; // those behind it were used later
      if (this.#isIdle(session, now)) this.end(session);
    }
  }

  #isIdle(session: McpSession, now: number): boolean {
    return now - session.usedAt >= this.#bounds.sessionIdleMs && isFree(session);
  }

  #oldestOf(owner: string): McpSession {
    for (const session of this.#sessions.values()) if (session.owner === owner && isFree(session)) return session;
    throw new RpcError(CODES.refused, `More than ${this.#bounds.maxSessions} conversations are open`, {
      code: 'RATE_LIMIT_EXCEEDED',
      statusCode: 429,
    });
  }
}

function isFree({ peer, stream }: McpSession): boolean {
  return !peer.isBusy && stream === undefined;
}
