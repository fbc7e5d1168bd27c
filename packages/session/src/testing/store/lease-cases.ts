import { same } from '../same.ts';
import { codeOf, created, LONG, owned, type StoreCase, taken, title, titlesOf } from './store-case.ts';

/** Cases about owning a session. */
export const leaseCases: readonly StoreCase[] = [
  [
    'gives the lease to one owner at a time, one epoch later each time',
    async (store) => {
      const { sessionId, epoch, lease } = await owned(store);
      same(lease, { sessionId, owner: 'me', head: 1, epoch });
      same(await store.acquire(sessionId, 'other', LONG), undefined);
      same(await store.acquire(sessionId, 'me', LONG), undefined);
      await store.release(lease);
      same(await taken(store, sessionId, 'other'), {
        sessionId,
        owner: 'other',
        head: 1,
        epoch: epoch + 1,
      });
    },
  ],
  [
    'gives the lease to one of several that ask at once',
    async (store) => {
      const { sessionId, lease } = await owned(store);
      await store.release(lease);
      const leases = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => store.acquire(sessionId, owner, LONG)));
      const given = leases.filter((one) => one !== undefined);
      same(given.length, 1);
      same(given[0]?.epoch, lease.epoch + 1);
    },
  ],
  [
    'lets an expired lease append until another owner takes it, and never after',
    async (store) => {
      const { sessionId, append } = await owned(store, 's1', 0);
      same(await append(1, 'late, but not taken'), 2);
      same((await taken(store, sessionId, 'other')).head, 2);
      same(await codeOf(append(2, 'too late')), 'SESSION_FENCED');
      same(await titlesOf(store, sessionId), ['late, but not taken']);
    },
  ],
  [
    'renews for the owner, also what has expired, and for nobody else',
    async (store) => {
      const { sessionId, lease } = await owned(store, 's1', 0);
      same(await store.renew(lease, LONG), true);
      same(await store.acquire(sessionId, 'other', LONG), undefined);
      same(await store.renew({ ...lease, epoch: lease.epoch - 1 }, LONG), false);
      same(await store.renew({ ...lease, epoch: lease.epoch + 1 }, LONG), false);
      same(await store.renew({ ...lease, sessionId: 'nobody' }, LONG), false);
      same(await store.renew({ ...lease, owner: 'of a removed session' }, LONG), false);
      same(await store.renew(lease, 0), true);
      await taken(store, sessionId, 'other');
      same(await store.renew(lease, LONG), false);
    },
  ],
  [
    'frees what is released at once, and does not renew it',
    async (store) => {
      const { sessionId, lease, append } = await owned(store);
      await store.release(lease);
      same(await store.renew(lease, LONG), false);
      same(await append(1, 'not taken yet'), 2);
      await taken(store, sessionId, 'other');
    },
  ],
  [
    'ignores the release of a lease that was taken over, or of a session that is gone',
    async (store) => {
      const { sessionId, lease } = await owned(store, 's1', 0);
      await taken(store, sessionId, 'other');
      await store.release(lease);
      same(await store.acquire(sessionId, 'third', LONG), undefined);
      await store.release({ ...lease, sessionId: 'nobody' });
      await store.release({ ...lease, epoch: lease.epoch + 1 });
      same(await store.acquire(sessionId, 'third', LONG), undefined);
    },
  ],
  [
    'ends leases by its own clock, whatever the time of day of this process',
    async (store) => {
      await owned(store, 'held');
      await owned(store, 'expired', 0);
      const { now } = Date;
      try {
        Date.now = () => now() + 2 * LONG;
        same(await store.acquire('held', 'other', LONG), undefined);
        Date.now = () => now() - 2 * LONG;
        await taken(store, 'expired', 'other');
      } finally {
        Date.now = now;
      }
    },
  ],
  [
    'gives a lease that is held to one who takes over, and fences the former owner',
    async (store) => {
      const { sessionId, lease, append } = await owned(store);
      await append(1, 'before');
      const next = await store.acquire(sessionId, 'other', LONG, { takeOver: true });
      same(next, { sessionId, owner: 'other', head: 2, epoch: lease.epoch + 1 });
      same(await codeOf(append(2, 'too late')), 'SESSION_FENCED');
      same(await store.renew(lease, LONG), false);
      await store.release(lease);
      same(await store.acquire(sessionId, 'third', LONG, { takeOver: false }), undefined);
      same(await codeOf(store.acquire('nobody', 'other', LONG, { takeOver: true })), 'SESSION_NOT_FOUND');
    },
  ],
  [
    'fences the owner of a removed session from the one that has taken its id',
    async (store) => {
      const { sessionId, lease, append } = await owned(store, 's1', 0);
      const leases = [lease, await taken(store, sessionId, 'me', 0), await taken(store, sessionId, 'me', 0)];
      await store.remove(sessionId);
      await store.create(sessionId, created());
      for (let turn = 0; turn <= leases.length; turn++) {
        for (const { epoch } of leases) {
          same(
            await codeOf(store.append(sessionId, { epoch, head: 1 }, [title('of the removed one')])),
            'SESSION_FENCED',
          );
        }
        for (const stale of leases) same(await store.renew(stale, LONG), false);
        await taken(store, sessionId, 'next', 0);
      }
      same(await codeOf(append(1, 'of the removed one')), 'SESSION_FENCED');
      same(await titlesOf(store, sessionId), []);
    },
  ],
  [
    'says how long a lease lasts, where it can',
    async (store) => {
      if (!store.leaseLeftMs) return;
      const { sessionId, lease } = await owned(store);
      const left = await store.leaseLeftMs(sessionId);
      same(left > LONG - 60_000 && left <= LONG, true);
      await store.renew(lease, 1);
      same((await store.leaseLeftMs(sessionId)) <= 1, true);
      await store.release(lease);
      same(await store.leaseLeftMs(sessionId), 0);
      same(await codeOf(store.leaseLeftMs('nobody')), 'SESSION_NOT_FOUND');
    },
  ],
];
