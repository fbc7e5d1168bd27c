import { inPages } from '../host/loop-share.ts';
import type { EntryBody, SessionEntry } from '../log/entry.ts';
import { dated, EntryPages, type TimedEntry } from '../log/entry-pages.ts';
import type { EntryRange, ImmediateReads, SessionStore, Snapshot } from '../log/session-store.ts';
import { entryOfLine, lineOf, MemoryLog } from './memory-log.ts';
import { itemOf, leaseLeftMs, MemorySessions, type Stored, takeOut } from './memory-sessions.ts';
import { checkForkPoint, entryJson, fencedAppend, hasWaiting } from './refusals.ts';
import { markOf } from './run-mark.ts';
import { pageOf, pageStart } from './session-page.ts';

/** Matches every entry that `note` keeps, and perhaps others. */
const NOTED = /"type":"(?:title|metadata|run_\w+)"|"of":"run_ended"/;

/** Creates a store that keeps sessions in this process: for tests, and for conversations that need not outlive it. */
export function memoryStore(): SessionStore {
  const sessions = new MemorySessions();
  const now = immediateReads(sessions);
  return {
    ...logMethods(sessions),
    ...leaseMethods(sessions),
    ...methodsBesideTheLog(sessions, now),
    now,
    async [Symbol.asyncDispose]() {
      sessions.close();
    },
  };
}

type LogMethods = Pick<SessionStore, 'create' | 'append' | 'read' | 'list' | 'fork' | 'remove'>;
type LeaseMethods = Pick<SessionStore, 'acquire' | 'renew' | 'release' | 'leaseLeftMs'>;

/** Epochs that a session may have; each begins above those of the sessions before it, so that the owner of a removed one is fenced. */
const EPOCHS = 2 ** 20;

function immediateReads(sessions: MemorySessions): ImmediateReads {
  return {
    *read(sessionId: string, range?: EntryRange): Iterable<SessionEntry> {
      for (const entry of timedEntries(sessions, sessionId, range)) yield dated(entry);
    },
    latestSnapshot(sessionId, format) {
      const { snapshot } = sessions.find(sessionId);
      return snapshot?.format === format ? copyOf(snapshot) : undefined;
    },
    getBlob: (sessionId, sha256) => sessions.find(sessionId).blobs?.get(sha256)?.slice(),
  };
}

function* timedEntries(
  sessions: MemorySessions,
  sessionId: string,
  { after = 0, upTo = Number.POSITIVE_INFINITY }: EntryRange = {},
): Generator<TimedEntry, void, void> {
  let seq = after;
  for (const line of sessions.find(sessionId).log.lines(after, upTo)) yield entryOfLine(line, ++seq);
}

function logMethods(sessions: MemorySessions): LogMethods {
  return {
    async create(sessionId, first) {
      const json = entryJson(sessionId, first);
      const stored = sessions.add(sessionId, first, new MemoryLog());
      stored.log.push(0, json);
      note(stored, first);
    },
    async append(sessionId, expected, entries, consume = []) {
      const stored = sessions.find(sessionId);
      const found = { epoch: stored.epoch, head: stored.log.length };
      if (found.epoch !== expected.epoch || found.head !== expected.head)
        throw fencedAppend(sessionId, expected, found);
      const bodies = entries.map((body) => entryJson(sessionId, body));
      for (const json of bodies) stored.log.push(expected.epoch, json);
      for (const body of entries) note(stored, body);
      if (consume.length > 0) takeOut(stored, consume);
      return stored.log.length;
    },
    read: (sessionId, range) => new EntryPages(() => inPages(timedEntries(sessions, sessionId, range))),
    async list(query = {}) {
      const start = pageStart(query);
      return pageOf(sessions.summaries(query, start), start.limit);
    },
    async fork(sessionId, upTo, newId) {
      const source = sessions.find(sessionId);
      checkForkPoint(sessionId, upTo, source.log.length);
      const [first = '', ...lines] = [...source.log.lines(0, upTo)];
      const named = { ...entryOfLine(first, 1).body, forkedFrom: { sessionId, seq: upTo } } as EntryBody; // safe: only named
      const copy = sessions.add(newId, named, MemoryLog.from([lineOf(named), ...lines]));
      copy.cwd = source.cwd;
      // The text is searched first: to parse every entry takes long.
      for (const line of lines) if (NOTED.test(line)) note(copy, entryOfLine(line, 0).body);
      if (source.blobs) copy.blobs = new Map(source.blobs);
    },
    async remove(sessionId, { unlessWaiting = false } = {}) {
      if (unlessWaiting && sessions.find(sessionId).inbox) throw hasWaiting(sessionId);
      sessions.remove(sessionId);
    },
  };
}

function leaseMethods(sessions: MemorySessions): LeaseMethods {
  return {
    async acquire(sessionId, owner, ttlMs, { takeOver = false } = {}) {
      const stored = sessions.find(sessionId);
      if (leaseLeftMs(stored) > 0 && !takeOver) return undefined;
      stored.owner = owner;
      stored.leaseUntil = performance.now() + ttlMs;
      stored.epoch = Math.max(stored.epoch, stored.number * EPOCHS) + 1;
      return { sessionId, owner, head: stored.log.length, epoch: stored.epoch };
    },
    async renew({ sessionId, epoch, owner }, ttlMs) {
      const stored = sessions.peek(sessionId);
      if (stored?.epoch !== epoch || stored.owner !== owner) return false;
      stored.leaseUntil = performance.now() + ttlMs;
      return true;
    },
    async release({ sessionId, epoch, owner }) {
      const stored = sessions.peek(sessionId);
      if (stored?.epoch !== epoch || stored.owner !== owner) return;
      stored.owner = undefined;
      stored.log.pack(); // at rest
    },
    leaseLeftMs: async (sessionId) => leaseLeftMs(sessions.find(sessionId)),
  };
}

function methodsBesideTheLog(
  sessions: MemorySessions,
  now: ImmediateReads,
): Omit<SessionStore, keyof LogMethods | keyof LeaseMethods | keyof AsyncDisposable> {
  return {
    async enqueue(sessionId, item) {
      const stored = sessions.find(sessionId);
      const { id } = item.message;
      if (stored.delivered.includes(id) || stored.inbox?.has(id)) return false;
      (stored.inbox ??= new Map()).set(id, entryJson(sessionId, item));
      return true;
    },
    async inbox(sessionId) {
      const { inbox } = sessions.find(sessionId);
      return inbox ? Array.from(inbox.values(), itemOf) : []; // asked before every turn, and nearly always empty
    },
    async saveSnapshot(sessionId, snapshot) {
      const stored = sessions.find(sessionId);
      const before = stored.snapshot;
      if (before && before.format === snapshot.format && before.seq > snapshot.seq) return;
      stored.snapshot = copyOf(snapshot);
    },
    latestSnapshot: async (sessionId, format) => now.latestSnapshot(sessionId, format),
    async putBlob(sessionId, sha256, bytes) {
      (sessions.find(sessionId).blobs ??= new Map()).set(sha256, bytes.slice());
    },
    getBlob: async (sessionId, sha256) => now.getBlob(sessionId, sha256),
    waiting: async () => sessions.waiting(),
    backlog: async () => sessions.backlog(),
    held: async () => sessions.held(),
    changes: (sessionId) => {
      const { number, log } = sessions.find(sessionId);
      return `${number}.${log.length}`;
    },
  };
}

/** Keeps the fields that the list of sessions shows. */
function note(stored: Stored, body: EntryBody): void {
  if (body.type === 'record') return; // nearly all are
  if (body.type === 'title') stored.title = body.title;
  if (body.type === 'metadata') stored.metadata = { ...body.metadata };
  const mark = markOf(body);
  if (!mark) return;
  stored.run = mark;
  if (mark.lastResult) stored.lastResult = mark.lastResult;
}

function copyOf({ seq, format, state }: Snapshot): Snapshot {
  return { seq, format, state: new Uint8Array(state) };
}
