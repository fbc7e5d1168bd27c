import type { SessionEntry } from '../log/entry.ts';
import type { InboxItem, SessionStore, SessionSummary, Snapshot } from '../log/session-store.ts';
import { alreadyExists, checkSessionId, entryJson, notFound, refusal } from './refusals.ts';

interface Row {
  readonly at: string;
  readonly epoch: number;
  /** JSON, so that nobody shares objects with the log. */
  readonly body: string;
}
interface Stored {
  readonly cwd: string;
  readonly entries: Row[];
  epoch: number;
  owner: string | undefined;
  leaseUntil: number;
  inbox: string[];
  readonly delivered: Set<string>;
  snapshot: Snapshot | undefined;
  readonly blobs: Map<string, Uint8Array>;
}

/** A store that keeps sessions in this process: for tests, and for conversations that need not outlive it. */
export function memoryStore(): SessionStore {
  const sessions = new Map<string, Stored>();
  const find = (sessionId: string): Stored => {
    const stored = sessions.get(sessionId);
    if (!stored) throw notFound(sessionId);
    return stored;
  };
  const add = (sessionId: string, { cwd, entries }: Pick<Stored, 'cwd' | 'entries'>): void => {
    checkSessionId(sessionId);
    if (sessions.has(sessionId)) throw alreadyExists(sessionId);
    sessions.set(sessionId, { ...emptySession(), cwd, entries });
  };
  return {
    async create(sessionId, first) {
      const cwd = first.type === 'session_created' ? first.cwd : '';
      add(sessionId, { cwd, entries: [{ at: now(), epoch: 0, body: entryJson(sessionId, first) }] });
    },
    async acquire(sessionId, owner, ttlMs) {
      const stored = find(sessionId);
      if (stored.owner !== undefined && stored.leaseUntil > performance.now()) return undefined;
      stored.owner = owner;
      stored.leaseUntil = performance.now() + ttlMs;
      return { sessionId, owner, head: stored.entries.length, epoch: ++stored.epoch };
    },
    async renew({ sessionId, epoch }, ttlMs) {
      const stored = sessions.get(sessionId);
      if (stored?.epoch !== epoch) return false;
      stored.leaseUntil = performance.now() + ttlMs;
      return true;
    },
    async release({ sessionId, epoch }) {
      const stored = sessions.get(sessionId);
      if (stored?.epoch === epoch) stored.owner = undefined;
    },
    async append(sessionId, expected, entries, consume = []) {
      const stored = find(sessionId);
      const found = { epoch: stored.epoch, head: stored.entries.length };
      if (found.epoch !== expected.epoch || found.head !== expected.head) throw refusal(sessionId, expected, found);
      const at = now();
      const rows = entries.map((body): Row => ({ at, epoch: expected.epoch, body: entryJson(sessionId, body) }));
      stored.entries.push(...rows);
      if (consume.length > 0) takeOut(stored, consume);
      return stored.entries.length;
    },
    async *read(sessionId, { after = 0, upTo = Number.POSITIVE_INFINITY } = {}) {
      const { entries } = find(sessionId);
      for (let seq = after + 1; seq <= Math.min(upTo, entries.length); seq++) yield entryOf(entries[seq - 1]!, seq);
    },
    async saveSnapshot(sessionId, snapshot) {
      find(sessionId).snapshot = structuredClone(snapshot);
    },
    async latestSnapshot(sessionId, format) {
      const { snapshot } = find(sessionId);
      return snapshot?.format === format ? structuredClone(snapshot) : undefined;
    },
    async enqueue(sessionId, item) {
      const stored = find(sessionId);
      const { id } = item.message;
      if (stored.delivered.has(id) || stored.inbox.some((json) => itemOf(json).message.id === id)) return false;
      stored.inbox.push(entryJson(sessionId, item));
      return true;
    },
    inbox: async (sessionId) => find(sessionId).inbox.map(itemOf),
    async putBlob(sessionId, sha256, bytes) {
      find(sessionId).blobs.set(sha256, bytes.slice());
    },
    getBlob: async (sessionId, sha256) => find(sessionId).blobs.get(sha256)?.slice(),
    async list({ cwd, cursor, limit = 50 } = {}) {
      const all = [...sessions].map(([sessionId, stored]) => summaryOf(sessionId, stored)).reverse();
      const newest = all.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
      const fitting = newest.filter((summary) => cwd === undefined || summary.cwd === cwd);
      const start = cursor === undefined ? 0 : Number(cursor);
      const end = start + limit;
      return { sessions: fitting.slice(start, end), ...(end < fitting.length ? { cursor: String(end) } : {}) };
    },
    async fork(sessionId, upTo, newId) {
      const source = find(sessionId);
      add(newId, { cwd: source.cwd, entries: source.entries.slice(0, upTo).map((row) => forkedRow(row, sessionId, upTo)) });
      for (const [sha256, bytes] of source.blobs) find(newId).blobs.set(sha256, bytes);
    },
    async remove(sessionId) {
      if (!sessions.delete(sessionId)) throw notFound(sessionId);
    },
    async [Symbol.asyncDispose]() {
      sessions.clear();
    },
  };
}

function emptySession(): Omit<Stored, 'cwd' | 'entries'> {
  return {
    epoch: 0,
    owner: undefined,
    leaseUntil: 0,
    inbox: [],
    delivered: new Set(),
    snapshot: undefined,
    blobs: new Map(),
  };
}

function now(): string {
  return new Date().toISOString();
}

function takeOut(stored: Stored, ids: readonly string[]): void {
  stored.inbox = stored.inbox.filter((json) => !ids.includes(itemOf(json).message.id));
  for (const id of ids) stored.delivered.add(id);
}

function entryOf({ at, epoch, body }: Row, seq: number): SessionEntry {
  return { seq, at, epoch, body: JSON.parse(body) as SessionEntry['body'] };
}

function itemOf(json: string): InboxItem {
  return JSON.parse(json) as InboxItem;
}

/** A copied entry; the first one names the source. */
function forkedRow(row: Row, sessionId: string, seq: number): Row {
  const body = JSON.parse(row.body) as SessionEntry['body'];
  if (body.type !== 'session_created') return row;
  return { ...row, body: JSON.stringify({ ...body, forkedFrom: { sessionId, seq } }) };
}

function summaryOf(sessionId: string, { cwd, entries }: Stored): SessionSummary {
  let title: string | undefined;
  for (const { body } of entries) if (body.startsWith('{"type":"title"')) title = (JSON.parse(body) as { title: string }).title;
  return { sessionId, cwd, ...(title === undefined ? {} : { title }), head: entries.length, updatedAt: entries.at(-1)!.at };
}
