import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { SessionQuery, SessionStore, SessionSummary } from '../../log/session-store.ts';
import { same } from '../same.ts';
import { codeOf, created, entriesOf, idsIn, owned, type StoreCase, title } from './store-case.ts';

/** The list of sessions. */
export const listCases: readonly StoreCase[] = [
  [
    'lists sessions newest first, page by page, each once',
    async (store) => {
      const ids = await several(store, 7, (index) => `s${index}`);
      const newestFirst = ids.toReversed();
      const pages = await pagesOf(store, { limit: 3 });
      same(
        pages.map((page) => page.map(({ sessionId }) => sessionId)),
        [newestFirst.slice(0, 3), newestFirst.slice(3, 6), newestFirst.slice(6)],
      );
      same((await store.list({ limit: 7 })).cursor, undefined);
    },
  ],
  [
    'brings a session to the front when it is appended to',
    async (store) => {
      const { append } = await owned(store, 'oldest');
      await several(store, 2, (index) => `s${index}`);
      await append(1, 'once more');
      same(await idsIn(store), ['oldest', 's1', 's0']);
    },
  ],
  [
    'lists sessions of one time by id, and loses none of them between pages',
    async (store) => {
      const ids = ['b', 'A', 'c', '_', 'a-', 'B', '0', 'a', '-', 'aa'];
      await Promise.all(ids.map((id) => store.create(id, created())));
      const listed = (await pagesOf(store, { limit: 1 })).flat();
      same(listed.map(({ sessionId }) => sessionId).toSorted(), ids.toSorted());
      same(listed, listed.toSorted(newestFirst));
    },
  ],
  [
    'lists the sessions of one directory, page by page',
    async (store) => {
      await several(
        store,
        6,
        (index) => `s${index}`,
        (index) => (index % 2 === 0 ? '/even' : '/odd'),
      );
      const listed = (await pagesOf(store, { cwd: '/odd', limit: 2 })).map((page) =>
        page.map(({ sessionId }) => sessionId),
      );
      same(listed, [['s5', 's3'], ['s1']]);
      same(await store.list({ cwd: '/od' }), { sessions: [] });
    },
  ],
  [
    'gives each session that does not change exactly once, although others come, go and change between pages',
    async (store) => {
      const still = await several(store, 6, (index) => `still${index}`);
      const { append } = await owned(store, 'moves');
      const first = await store.list({ limit: 2 });
      await append(1, 'to the front');
      await store.create('new', created());
      const second = await store.list({ limit: 2, cursor: first.cursor! }); // safe: there are seven sessions
      await store.remove(second.sessions[1]!.sessionId); // safe: two of them
      const third = await store.list({ limit: 100, cursor: second.cursor! }); // safe: more are left
      const seen = [first, second, third].flatMap(({ sessions }) => sessions.map(({ sessionId }) => sessionId));
      same(seen, ['moves', ...still.toReversed()]);
    },
  ],
  [
    'takes a limit from 1 to 1000, 50 without one, and refuses others',
    async (store) => {
      await Promise.all(Array.from({ length: 60 }, (_, index) => store.create(`s${index}`, created())));
      same((await store.list()).sessions.length, 50);
      same((await store.list({ limit: 1 })).sessions.length, 1);
      same((await store.list({ limit: 1000 })).sessions.length, 60);
      for (const limit of [0, -1, 1001, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        same(await codeOf(store.list({ limit })), 'VALIDATION_ERROR', `limit ${limit}`);
      }
    },
  ],
  [
    'refuses a cursor that it has not given',
    async (store) => {
      await several(store, 3, (index) => `s${index}`);
      const { cursor = '' } = await store.list({ limit: 1 });
      for (const damaged of ['', 'x', cursor.slice(1, 2), `${cursor} `, `x${cursor}`, '\0', '../..', 'null']) {
        same(await codeOf(store.list({ cursor: damaged })), 'VALIDATION_ERROR', `cursor '${damaged}'`);
      }
    },
  ],
  [
    'finds one session by its id, if the rest of the query fits it',
    async (store) => {
      await several(
        store,
        3,
        (index) => `s${index}`,
        (index) => `/${index}`,
      );
      same(await found(store, { sessionId: 's1' }), ['s1']);
      same(await found(store, { sessionId: 's1', cwd: '/1', limit: 1 }), ['s1']);
      same(await found(store, { sessionId: 's1', cwd: '/2' }), []);
      same(await found(store, { sessionId: 's' }), []);
    },
  ],
  [
    'summarises a session: directory, last title, last metadata, source, head, time of its last entry',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      same(await summaryOf(store), { sessionId, cwd: '/work', state: 'idle', head: 1 });
      const notes = [
        { a: '1', b: '2' },
        { b: '', ['__proto__']: 'x' },
      ].map((metadata) => ({ type: 'metadata', metadata }) as const);
      await store.append(sessionId, { epoch, head: 1 }, [title('first'), notes[0]!, title('last'), notes[1]!]); // safe: two notes
      const { metadata, ...rest } = await summaryOf(store);
      same(rest, { sessionId, cwd: '/work', title: 'last', state: 'idle', head: 5 });
      same(JSON.stringify(metadata), JSON.stringify(notes[1]!.metadata)); // safe: as above
      const [listed] = (await store.list()).sessions;
      const { at } = (await entriesOf(store, sessionId)).at(-1)!; // safe: it has five
      same(new Date(listed!.updatedAt).toISOString(), listed!.updatedAt); // safe: there is one session
      assert.ok(Math.abs(Date.parse(listed!.updatedAt) - Date.parse(at)) < 60_000); // two readings of one clock
    },
  ],
];

/** Sessions made one after the other, at different times. */
async function several(
  store: SessionStore,
  count: number,
  named: (index: number) => string,
  cwdOf: (index: number) => string = () => '/work',
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    ids.push(named(index));
    await store.create(named(index), created(cwdOf(index)));
    await wait(3);
  }
  return ids;
}

async function found(store: SessionStore, query: SessionQuery): Promise<string[]> {
  return (await store.list(query)).sessions.map(({ sessionId }) => sessionId);
}

/** Every page, from the first on. */
async function pagesOf(store: SessionStore, query: SessionQuery): Promise<(readonly SessionSummary[])[]> {
  const pages: (readonly SessionSummary[])[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page.sessions);
    cursor = page.cursor;
    if (cursor === undefined || pages.length > 100) return pages;
  }
}

async function summaryOf(store: SessionStore): Promise<Omit<SessionSummary, 'updatedAt'>> {
  const [{ updatedAt: _, ...rest }] = (await store.list()).sessions as [SessionSummary]; // safe: the case has made one
  return rest;
}

/** The order of the list: by time, those of one time by the bytes of their ids. */
export function newestFirst(one: SessionSummary, other: SessionSummary): number {
  const later = Date.parse(other.updatedAt) - Date.parse(one.updatedAt);
  if (later !== 0 || one.sessionId === other.sessionId) return later;
  return one.sessionId < other.sessionId ? -1 : 1;
}
