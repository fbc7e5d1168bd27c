import type { EntryBody } from '../log/entry.ts';
import type { InboxItem, SessionStore, SessionSummary, Snapshot } from '../log/session-store.ts';
import { entryOfLine, lineWithBody, MemoryLog } from './memory-log.ts';
import { alreadyExists, checkSessionId, entryJson, notFound, refusal } from './refusals.ts';

interface Stored {
  readonly cwd: string;
  readonly log: MemoryLog;
  title: string | undefined;
  epoch: number;
  owner: string | undefined;
  leaseUntil: number;
  /** JSON, in the order of arrival. */
  inbox: string[];
  /** Ids of the messages that were taken out of the inbox. */
  readonly delivered: string[];
  snapshot: Snapshot | undefined;
  blobs: Map<string, Uint8Array> | undefined;
}

/** A store that keeps sessions in this process: for tests, and for conversations that need not outlive it. */
export function memoryStore(): SessionStore {
  const sessions = new Map<string, Stored>();
  return {
    ...logMethods(sessions),
    ...leaseMethods(sessions),
    ...methodsBesideTheLog(sessions),
    async [Symbol.asyncDispose]() {
      sessions.clear();
    },
  };
}

type Sessions = Map<string, Stored>;
type LogMethods = Pick<SessionStore, 'create' | 'append' | 'read' | 'list' | 'fork' | 'remove'>;
type LeaseMethods = Pick<SessionStore, 'acquire' | 'renew' | 'release'>;

function logMethods(sessions: Sessions): LogMethods {
  return {
    async create(sessionId, first) {
      const json = entryJson(sessionId, first);
      const cwd = first.type === 'session_created' ? first.cwd : '';
      add(sessions, sessionId, { cwd, log: new MemoryLog() }).log.push(0, json);
    },
    async append(sessionId, expected, entries, consume = []) {
      const stored = find(sessions, sessionId);
      const found = { epoch: stored.epoch, head: stored.log.length };
      if (found.epoch !== expected.epoch || found.head !== expected.head) throw refusal(sessionId, expected, found);
      const bodies = entries.map((body) => entryJson(sessionId, body));
      for (const json of bodies) stored.log.push(expected.epoch, json);
      for (const body of entries) if (body.type === 'title') stored.title = body.title;
      if (consume.length > 0) takeOut(stored, consume);
      return stored.log.length;
    },
    async *read(sessionId, { after = 0, upTo = Number.POSITIVE_INFINITY } = {}) {
      const lines = find(sessions, sessionId).log.lines();
      for (let seq = after + 1; seq <= Math.min(upTo, lines.length); seq++) yield entryOfLine(lines[seq - 1]!, seq);
    },
    async list({ cwd, cursor, limit = 50 } = {}) {
      const all = [...sessions].map(([sessionId, stored]) => summaryOf(sessionId, stored)).toReversed();
      const newest = all.toSorted((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt));
      const fitting = newest.filter((summary) => cwd === undefined || summary.cwd === cwd);
      const start = cursor === undefined ? 0 : Number(cursor);
      const end = start + limit;
      return { sessions: fitting.slice(start, end), ...(end < fitting.length ? { cursor: String(end) } : {}) };
    },
    async fork(sessionId, upTo, newId) {
      const source = find(sessions, sessionId);
      const lines = source.log.lines().slice(0, upTo);
      const log = MemoryLog.from(lines.map((line, index) => (index === 0 ? forkedLine(line, sessionId, upTo) : line)));
      const copy = add(sessions, newId, { cwd: source.cwd, log });
      for (const [index, line] of lines.entries()) copy.title = titleIn(line, index + 1) ?? copy.title;
      if (source.blobs) copy.blobs = new Map(source.blobs);
    },
    async remove(sessionId) {
      if (!sessions.delete(sessionId)) throw notFound(sessionId);
    },
  };
}

function leaseMethods(sessions: Sessions): LeaseMethods {
  return {
    async acquire(sessionId, owner, ttlMs) {
      const stored = find(sessions, sessionId);
      if (stored.owner !== undefined && stored.leaseUntil > performance.now()) return undefined;
      stored.owner = owner;
      stored.leaseUntil = performance.now() + ttlMs;
      return { sessionId, owner, head: stored.log.length, epoch: ++stored.epoch };
    },
    async renew({ sessionId, epoch }, ttlMs) {
      const stored = sessions.get(sessionId);
      if (stored?.epoch !== epoch) return false;
      stored.leaseUntil = performance.now() + ttlMs;
      return true;
    },
    async release({ sessionId, epoch }) {
      const stored = sessions.get(sessionId);
      if (stored?.epoch !== epoch) return;
      stored.owner = undefined;
      stored.log.pack(); // at rest
    },
  };
}

function methodsBesideTheLog(
  sessions: Sessions,
): Omit<SessionStore, keyof LogMethods | keyof LeaseMethods | keyof AsyncDisposable> {
  return {
    async enqueue(sessionId, item) {
      const stored = find(sessions, sessionId);
      const { id } = item.message;
      if (stored.delivered.includes(id) || stored.inbox.some((json) => itemOf(json).message.id === id)) return false;
      stored.inbox.push(entryJson(sessionId, item));
      return true;
    },
    inbox: async (sessionId) => find(sessions, sessionId).inbox.map(itemOf),
    async saveSnapshot(sessionId, snapshot) {
      find(sessions, sessionId).snapshot = structuredClone(snapshot);
    },
    async latestSnapshot(sessionId, format) {
      const { snapshot } = find(sessions, sessionId);
      return snapshot?.format === format ? structuredClone(snapshot) : undefined;
    },
    async putBlob(sessionId, sha256, bytes) {
      (find(sessions, sessionId).blobs ??= new Map()).set(sha256, bytes.slice());
    },
    getBlob: async (sessionId, sha256) => find(sessions, sessionId).blobs?.get(sha256)?.slice(),
  };
}

function find(sessions: Sessions, sessionId: string): Stored {
  const stored = sessions.get(sessionId);
  if (!stored) throw notFound(sessionId);
  return stored;
}

function add(sessions: Sessions, sessionId: string, { cwd, log }: Pick<Stored, 'cwd' | 'log'>): Stored {
  checkSessionId(sessionId);
  if (sessions.has(sessionId)) throw alreadyExists(sessionId);
  const stored = emptySession(cwd, log);
  sessions.set(sessionId, stored);
  return stored;
}

function emptySession(cwd: string, log: MemoryLog): Stored {
  return {
    cwd,
    log,
    title: undefined,
    epoch: 0,
    owner: undefined,
    leaseUntil: 0,
    inbox: [],
    delivered: [],
    snapshot: undefined,
    blobs: undefined,
  };
}

function takeOut(stored: Stored, ids: readonly string[]): void {
  stored.inbox = stored.inbox.filter((json) => !ids.includes(itemOf(json).message.id));
  for (const id of ids) stored.delivered.push(id);
}

function itemOf(json: string): InboxItem {
  return JSON.parse(json) as InboxItem;
}

function titleIn(line: string, seq: number): string | undefined {
  const { body } = entryOfLine(line, seq);
  return body.type === 'title' ? body.title : undefined;
}

/** The first entry of a copy names its source. */
function forkedLine(line: string, sessionId: string, seq: number): string {
  const { body } = entryOfLine(line, 1);
  return lineWithBody(line, { ...body, forkedFrom: { sessionId, seq } } as EntryBody);
}

function summaryOf(sessionId: string, { cwd, title, log }: Stored): SessionSummary {
  return { sessionId, cwd, ...(title === undefined ? {} : { title }), head: log.length, updatedAt: log.updatedAt };
}
