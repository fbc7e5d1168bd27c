import type { EntryBody, SessionEntry, SessionStore } from '../../src/index.ts';
import type { InboxItem } from '../../src/store-port.ts';
import { type Fault, WRONG_LEASES, type WrongStore } from './wrong-leases.ts';

const foundIn = (error: unknown) => (error as { details?: { found?: { epoch: number; head: number } } }).details?.found;

/** Appends at whatever head and epoch are found, where `accepts` is true of the refusal. */
const appendingAnyway =
  (accepts: (code: unknown) => boolean): Fault =>
  ({ append }) => ({
    append: async (id, expected, bodies, consume) => {
      try {
        return await append(id, expected, bodies, consume);
      } catch (error) {
        const found = foundIn(error);
        if (!found || !accepts((error as { code?: unknown }).code)) throw error;
        return await append(id, found, bodies, consume);
      }
    },
  });

const doubled = (items: readonly InboxItem[]) => items.map(({ message: { id } }) => id);

/** Stores that each do one thing otherwise than they should. */
export const WRONG_STORES: readonly WrongStore[] = [
  ['does not compare the head', appendingAnyway((code) => code === 'SESSION_CONFLICT'), /another head/, true],
  ['accepts a stale epoch', appendingAnyway((code) => code === 'SESSION_FENCED'), /fences the former owner/, true],
  [
    'compares first and writes later',
    ({ append, read }) => ({
      append: async (id, expected, bodies, consume) => {
        const head = (await Array.fromAsync(read(id))).length;
        if (head !== expected.head) return await append(id, expected, bodies, consume);
        await new Promise(setImmediate);
        return await append(id, { ...expected, head: (await Array.fromAsync(read(id))).length }, bodies, consume);
      },
    }),
    /several appends at once/,
  ],
  [
    'writes the entries one by one',
    ({ append }) => ({
      append: async (id, expected, bodies, consume) => {
        if (bodies.length < 2) return await append(id, expected, bodies, consume);
        let { head } = expected;
        for (const body of bodies) head = await append(id, { ...expected, head }, [body], consume);
        return head;
      },
    }),
    /all or nothing/,
  ],
  [
    'forgets to consume',
    ({ append }) => ({ append: (id, expected, bodies) => append(id, expected, bodies) }),
    /consumes/,
    true,
  ],
  [
    'consumes in a step before the append',
    ({ append, inbox }) => ({
      append: async (id, expected, bodies, consume = []) => {
        const waiting = doubled(await inbox(id).catch(() => []));
        const taken = consume.filter((messageId) => waiting.includes(messageId));
        const head = (expected as { head: number }).head;
        for (let at = 0; at <= head + 1 && taken.length > 0; at++) {
          const done = await append(id, { ...expected, head: at }, [], taken).catch(() => undefined);
          if (done !== undefined) break;
        }
        return await append(id, expected, bodies, consume);
      },
    }),
    /takes nothing out of the inbox/,
  ],
  ['never says that there are changes', () => ({ changes: () => 'the same' }), /another text for `changes`/],
  ['removes what waits', ({ remove }) => ({ remove: (id) => remove(id) }), /messages wait/],
  [
    'takes a message twice',
    ({ enqueue }) => ({
      enqueue: async (id, item) =>
        (await enqueue(id, item)) ||
        (await enqueue(id, { ...item, message: { ...item.message, id: crypto.randomUUID() } })),
    }),
    /one id once/,
    true,
  ],
  [
    'forgets ids that were consumed',
    (store) => {
      const consumed = new Map<string, InboxItem[]>();
      return {
        append: async (id, expected, bodies, consume = []) => {
          const waiting = await store.inbox(id);
          const head = await store.append(id, expected, bodies, consume);
          const gone = waiting.filter(({ message }) => consume.includes(message.id));
          consumed.set(id, [...(consumed.get(id) ?? []), ...gone]);
          return head;
        },
        enqueue: async (id, item) =>
          (await store.enqueue(id, item)) ||
          (consumed.get(id) ?? []).some(({ message }) => message.id === item.message.id),
      };
    },
    /one id once/,
    true,
  ],
  [
    'names a waiting message that is not the last',
    ({ waiting, inbox }) => ({
      waiting: async () => {
        const found = (await waiting?.()) ?? [];
        return await Promise.all(
          found.map(async ({ sessionId }) => ({ sessionId, messageId: (await inbox(sessionId))[0]!.message.id })),
        );
      },
    }),
    /`waiting`/,
  ],
  [
    'counts sessions that somebody runs',
    ({ waiting }) => ({ backlog: async () => ({ sessions: (await waiting?.())?.length ?? 0, oldestMs: 0 }) }),
    /`backlog`/,
  ],
  [
    'gives the inbox in another order',
    ({ inbox }) => ({ inbox: async (id) => (await inbox(id)).toReversed() }),
    /order of arrival/,
  ],
  ...WRONG_LEASES,
  [
    'loses the last entry of a long log',
    ({ read }) => ({
      async *read(id, range) {
        for await (const entry of read(id, range)) if (entry.seq < 1200) yield entry;
      },
    }),
    /long log whole/,
  ],
  [
    'ignores where to read from',
    ({ read }) => ({ read: (id, { upTo } = {}) => read(id, upTo === undefined ? {} : { upTo }) }),
    /reads a part/,
  ],
  [
    'drops entries that it does not know',
    ({ read }) => ({
      async *read(id, range) {
        const known = ['session_created', 'title', 'metadata', 'record'];
        for await (const entry of read(id, range)) if (known.includes(entry.body.type)) yield entry;
      },
    }),
    /to the letter/,
  ],
  [
    'takes an entry of any size',
    ({ append }) => ({
      append: (id, expected, bodies, consume) =>
        append(
          id,
          expected,
          bodies.map((body) => (JSON.stringify(body).length > 500_000 ? short(body) : body)),
          consume,
        ),
    }),
    /1 MiB/,
  ],
  [
    'lists the oldest first',
    ({ list }) => ({
      list: async (query) => {
        const { sessions, ...rest } = await list(query);
        return { sessions: sessions.toReversed(), ...rest };
      },
    }),
    /newest first/,
    true,
  ],
  ['lists from the start again', ({ list }) => ({ list: ({ limit = 50 } = {}) => list({ limit }) }), /page by page/],
  [
    'lists all sessions, whichever is asked for by its id',
    ({ list }) => ({ list: ({ sessionId: _, ...query } = {}) => list(query) }),
    /one session by its id/,
  ],
  [
    'looks for metadata as UTF-8',
    ({ list }) => ({ list: (query = {}) => list(JSON.parse(JSON.stringify(query).replace(/\\ud\w{3}/g, '\ufffd'))) }),
    /metadata of any text/,
  ],
  ['counts pages by their number', (store) => ({ list: numberedPages(store) }), /others come, go and change/],
  ['takes any cursor for the start', ({ list }) => ({ list: (query) => list(query).catch(() => list()) }), /cursor/],
  ['shares blobs', ({ getBlob }) => ({ getBlob: (_, sha256) => getBlob('s1', sha256) }), /blobs by session/],
  [
    'loses the format of a snapshot',
    ({ saveSnapshot }) => ({ saveSnapshot: (id, snapshot) => saveSnapshot(id, { ...snapshot, format: 1 }) }),
    /none of another format|new format/,
    true,
  ],
  [
    'keeps a snapshot as text',
    ({ saveSnapshot }) => ({
      saveSnapshot: (id, snapshot) => {
        const text = new TextDecoder().decode(snapshot.state);
        return saveSnapshot(id, { ...snapshot, state: new TextEncoder().encode(text) });
      },
    }),
    /byte for byte/,
  ],
  ['forks without a copy', sharingForks, /keeps fork and source apart/],
  [
    'forks all there is',
    ({ fork, read }) => ({
      fork: async (id, upTo, newId) => fork(id, Math.max(upTo, (await Array.fromAsync(read(id))).length), newId),
    }),
    /forks a prefix/,
    true,
  ],
  ['does not remove', ({ list }) => ({ remove: async () => void (await list()) }), /removes a session/, true],
  [
    'makes a session twice',
    ({ create, remove }) => ({
      create: async (id, first) => {
        await create(id, first).catch(async () => {
          await remove(id);
          await create(id, first);
        });
      },
    }),
    /make a session twice/,
  ],
  [
    'answers something else at once',
    ({ now }) => ({ now: { ...now!, read: (id) => now!.read(id, { after: 1 }) } }),
    /answers at once/,
  ],
  ['goes on when it is closed', () => ({ [Symbol.asyncDispose]: async () => undefined }), /SESSION_CLOSED/],
];

function short(body: EntryBody): EntryBody {
  return body.type === 'title' ? { ...body, title: '' } : body;
}

/** Pages that count what comes before them, which changes. */
function numberedPages({ list }: SessionStore): SessionStore['list'] {
  return async ({ limit = 50, cursor, ...query } = {}) => {
    const all = (await list({ ...query, limit: 1000 })).sessions;
    const start = cursor === undefined ? 0 : Number(cursor);
    const end = start + limit;
    return { sessions: all.slice(start, end), ...(end < all.length ? { cursor: String(end) } : {}) };
  };
}

/** The entries of a fork are read from its source as long as it is there. */
function sharingForks({ fork, read }: SessionStore): Partial<SessionStore> {
  const sources = new Map<string, readonly [string, number]>();
  return {
    fork: async (id, upTo, newId) => {
      await fork(id, upTo, newId);
      sources.set(newId, [id, upTo]);
    },
    async *read(id, range): AsyncGenerator<SessionEntry> {
      const [source, upTo] = sources.get(id) ?? [];
      for await (const entry of read(id, range)) {
        if (source === undefined || upTo === undefined || entry.seq > upTo || entry.seq === 1) yield entry;
        else
          for await (const shared of read(source, { after: entry.seq - 1, upTo: entry.seq }))
            yield { ...shared, epoch: 0 };
      }
    },
  };
}
