import type { EntryBody } from '../../log/entry.ts';
import type { Lease } from '../../log/session-store.ts';
import { created } from './store-case.ts';

export interface ModelSession {
  readonly entries: (readonly [epoch: number, body: EntryBody])[];
  epoch: number;
  lease: 'free' | 'expired' | 'held';
  owner: string;
  /** Ids, in the order of arrival. */
  inbox: string[];
  /** Ids that were ever sent or consumed. */
  readonly known: Set<string>;
  snapshot: { readonly seq: number; readonly format: number; readonly byte: number } | undefined;
  readonly blobs: Map<string, number>;
}
/** The outcome of a command: `resolved`, or the code of the error. */
export type Outcome = string;

/** A model of the store port, of maps and arrays. */
export class ReferenceModel {
  readonly sessions: Map<string, ModelSession> = new Map();
  /** All leases given for an id, the latest first; also those of sessions removed since. */
  readonly leases: Map<string, Lease[]> = new Map();

  create(id: string, cwd: string): Outcome {
    if (this.sessions.has(id)) return 'SESSION_EXISTS';
    this.sessions.set(id, newSession([[0, created(cwd)]]));
    return 'resolved';
  }

  /** Acquires the lease if possible; true when it is given. `first`: the epoch that a session begins with. */
  acquire(session: ModelSession, { owner, ttlMs, takeOver, first }: Acquire): boolean {
    if (session.lease === 'held' && !takeOver) return false;
    session.epoch = session.epoch === 0 ? first : session.epoch + 1;
    session.owner = owner;
    session.lease = ttlMs > 0 ? 'held' : 'expired';
    return true;
  }

  renew({ sessionId, epoch, owner }: Lease, ttlMs: number): boolean {
    const session = this.sessions.get(sessionId);
    if (session?.epoch !== epoch || session.owner !== owner || session.lease === 'free') return false;
    session.lease = ttlMs > 0 ? 'held' : 'expired';
    return true;
  }

  release({ sessionId, epoch, owner }: Lease): void {
    const session = this.sessions.get(sessionId);
    if (session?.epoch === epoch && session.owner === owner) session.lease = 'free';
  }

  append(id: string, { epoch, head, bodies, consume }: Attempt): Outcome {
    const session = this.sessions.get(id);
    if (!session) return 'SESSION_NOT_FOUND';
    if (session.epoch !== epoch) return 'SESSION_FENCED';
    if (session.entries.length !== head) return 'SESSION_CONFLICT';
    for (const body of bodies) session.entries.push([epoch, body]);
    session.inbox = session.inbox.filter((messageId) => !consume.includes(messageId));
    for (const messageId of consume) session.known.add(messageId);
    return 'resolved';
  }

  /** True when the message is new. */
  enqueue(session: ModelSession, messageId: string): boolean {
    if (session.known.has(messageId)) return false;
    session.known.add(messageId);
    session.inbox.push(messageId);
    return true;
  }

  saveSnapshot(session: ModelSession, snapshot: NonNullable<ModelSession['snapshot']>): void {
    const before = session.snapshot;
    if (before?.format !== snapshot.format || before.seq <= snapshot.seq) session.snapshot = snapshot;
  }

  fork(id: string, upTo: number, newId: string): Outcome {
    const source = this.sessions.get(id);
    if (!source) return 'SESSION_NOT_FOUND';
    if (upTo < 1 || upTo > source.entries.length) return 'INVALID_FORK_POINT';
    if (this.sessions.has(newId)) return 'SESSION_EXISTS';
    const copies = source.entries.slice(0, upTo).map(([, body]) => [0, body] as const);
    copies[0] = [0, { ...copies[0]![1], forkedFrom: { sessionId: id, seq: upTo } } as EntryBody]; // safe: upTo is 1 or more
    const copy = newSession(copies);
    for (const [hash, byte] of source.blobs) copy.blobs.set(hash, byte);
    this.sessions.set(newId, copy);
    return 'resolved';
  }

  remove(id: string): Outcome {
    return this.sessions.delete(id) ? 'resolved' : 'SESSION_NOT_FOUND';
  }
}

/** Parameters of `acquire`. */
export interface Acquire {
  readonly owner: string;
  readonly ttlMs: number;
  readonly takeOver: boolean;
  readonly first: number;
}
/** Parameters of an append. */
export interface Attempt {
  readonly epoch: number;
  readonly head: number;
  readonly bodies: readonly EntryBody[];
  readonly consume: readonly string[];
}

function newSession(entries: (readonly [number, EntryBody])[]): ModelSession {
  const rest = { inbox: [], known: new Set<string>(), snapshot: undefined, blobs: new Map<string, number>() };
  return { entries, epoch: 0, lease: 'free', owner: '', ...rest };
}
