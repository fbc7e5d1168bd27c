import type { EntryBody } from '../../log/entry.ts';
import type { SessionQuery, SessionStore } from '../../log/session-store.ts';
import { same } from '../same.ts';
import { created, item, LONG, owned, type StoreCase, step, taken, title } from './store-case.ts';

const started: EntryBody = { type: 'run_started', runId: 'r', messageId: 'm', model: 'x' };
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
const failed: EntryBody = {
  type: 'run_ended',
  runId: 'r',
  subtype: 'error',
  usage,
  error: { code: 'C', message: 'why' },
};
const waits: EntryBody = { type: 'run_left', runId: 'r', waits: {} };

/** The states of sessions in the list, and the filters by state and metadata. */
export const stateCases: readonly StoreCase[] = [
  [
    'lists what each session is doing, and how its last run has ended',
    async (store) => {
      const { sessionId, epoch, lease } = await owned(store);
      let head = 1;
      const states: unknown[] = [];
      const look = async (...bodies: EntryBody[]) => {
        if (bodies.length > 0) head = await store.append(sessionId, { epoch, head }, bodies);
        const [found] = (await store.list()).sessions;
        states.push([found?.state, found?.lastResult?.subtype]);
      };
      await look();
      await look(started);
      await look(step('in the run'));
      await look(waits);
      await look({ type: 'run_resumed', runId: 'r' });
      await look({ type: 'run_left', runId: 'r' });
      await store.release(lease);
      await look();
      const again = await taken(store, sessionId, 'another');
      await store.append(sessionId, again, [title('t'), failed]);
      await look();
      same(states, [
        ['idle', undefined],
        ['running', undefined],
        ['running', undefined],
        ['waiting', undefined],
        ['running', undefined],
        ['running', undefined],
        ['interrupted', undefined],
        ['idle', 'error'],
      ]);
      same((await store.list()).sessions[0]?.lastResult, { subtype: 'error', error: { code: 'C', message: 'why' } });
    },
  ],
  [
    'lists a copy as idle until somebody owns it, then by the entries that it has',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      await store.append(sessionId, { epoch, head: 1 }, [started, failed, started, waits]);
      await store.fork(sessionId, 3, 'after');
      await store.fork(sessionId, 5, 'waits');
      await store.fork(sessionId, 1, 'before');
      const states = async () => {
        const { sessions } = await store.list();
        const lines = sessions.map((one) => `${one.sessionId} ${one.state} ${one.lastResult?.subtype}`);
        return lines.toSorted((one, other) => (one < other ? -1 : 1));
      };
      same(await states(), ['after idle error', 'before idle undefined', 's1 waiting error', 'waits idle error']);
      await store.release(await taken(store, 'waits', 'me'));
      same((await states()).at(-1), 'waits waiting error');
    },
  ],
  [
    'lists the sessions in one state, page by page',
    async (store) => {
      for (let index = 0; index < 8; index++) {
        const id = `s${index}`;
        await store.create(id, created(index % 2 ? '/odd' : '/even'));
        const lease = await taken(store, id, 'me', LONG);
        if (index < 6) await store.append(id, lease, index < 2 ? [started, waits] : [started]);
        if (index >= 4) await store.release(lease);
      }
      same(await idsOf(store, { state: 'waiting' }), ['s0', 's1']);
      same(await idsOf(store, { state: 'running' }), ['s2', 's3']);
      same(await idsOf(store, { state: 'interrupted' }), ['s4', 's5']);
      same(await idsOf(store, { state: 'idle' }), ['s6', 's7']);
      same(await idsOf(store, { state: 'interrupted', cwd: '/odd' }), ['s5']);
      same(await idsOf(store, { state: ['waiting', 'interrupted'] }), ['s0', 's1', 's4', 's5']);
      same(await idsOf(store, { state: ['waiting', 'idle'] }), ['s0', 's1', 's6', 's7']);
      await store.enqueue('s6', item('waits'));
      same(await idsOf(store, { state: 'idle' }), ['s6', 's7']);
    },
  ],
  [
    'finds sessions whose first question has expired',
    async (store) => {
      for (const [id, until] of [
        ['never', undefined],
        ['early', 1000],
        ['late', 3000],
      ] as const) {
        const { epoch } = await owned(store, id);
        const left: EntryBody = { type: 'run_left', runId: 'r', waits: until === undefined ? {} : { until } };
        await store.append(id, { epoch, head: 1 }, [started, left]);
      }
      const expired = (expiredAt: number) => idsOf(store, { state: 'waiting', expiredAt });
      same([await expired(999), await expired(1000), await expired(3001)], [[], ['early'], ['early', 'late']]);
      const early = (await store.list()).sessions.find(({ sessionId }) => sessionId === 'early');
      same(early?.expiresAt, 1000);
      const lease = (await store.acquire('early', 'another', LONG, { takeOver: true }))!; // safe: taken over
      await store.append('early', lease, [{ type: 'run_resumed', runId: 'r' }]);
      same(await expired(3001), ['late']);
    },
  ],
  [
    'finds a session by metadata of any text, and none by an id that is none',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const metadata = { 'a\0b': 'c\0d', '\ud800': '\udfff', '"': '\\', '': '' };
      await store.append(sessionId, { epoch, head: 1 }, [{ type: 'metadata', metadata }]);
      for (const [key, value] of Object.entries(metadata)) {
        same(await idsOf(store, { metadata: { [key]: value } }), [sessionId], JSON.stringify(key));
        same(await idsOf(store, { metadata: { [key]: `${value}\ufffd` } }), [], JSON.stringify(key));
      }
      same(await idsOf(store, { metadata: { '\ufffd': '\ufffd' } }), []);
      same(await store.list({ sessionId: 'a\0b' }), { sessions: [] });
    },
  ],
  [
    'finds sessions by their last metadata, all values of them, and of forks and removed ones too',
    async (store) => {
      const { sessionId, epoch } = await owned(store);
      const noted = (metadata: Record<string, string>): EntryBody => ({ type: 'metadata', metadata });
      await store.append(sessionId, { epoch, head: 1 }, [noted({ user: 'ann', plan: 'free' }), noted({ user: 'ann' })]);
      await owned(store, 's2');
      await store.fork(sessionId, 3, 'now');
      await store.fork(sessionId, 2, 'before');
      same(await idsOf(store, { metadata: { user: 'ann' } }), ['before', 'now', 's1']);
      same(await idsOf(store, { metadata: { user: 'ann', plan: 'free' } }), ['before']);
      same(await idsOf(store, { metadata: { user: 'Ann' } }), []);
      same(await idsOf(store, { metadata: { constructor: '' } }), []);
      same(await idsOf(store, { metadata: { user: "ann' or 1=1 --" } }), []);
      same(await idsOf(store, { metadata: {} }), ['before', 'now', 's1', 's2']);
      await store.remove(sessionId);
      await store.create(sessionId, created());
      same(await idsOf(store, { metadata: { user: 'ann' } }), ['before', 'now']);
    },
  ],
];

/** Ids of all pages, each of one session, in alphabetical order. */
async function idsOf(store: SessionStore, query: SessionQuery): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ ...query, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.cursor;
    if (cursor === undefined || found.length > 100) return found.toSorted();
  }
}
