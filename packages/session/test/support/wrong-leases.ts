import type { SessionStore } from '../../src/index.ts';
import type { Lease } from '../../src/store-port.ts';

/** What a store does otherwise than it should. */
export type Fault = (store: SessionStore) => Partial<SessionStore>;

/** Breaks one promise. `shownBy` is found in the name of a case that shows it; `byCommands`: random commands show it too. */
export type WrongStore = readonly [what: string, fault: Fault, shownBy: RegExp, byCommands?: boolean];

/** Stores that give leases otherwise than they should. */
export const WRONG_LEASES: readonly WrongStore[] = [
  [
    'gives a lease that is held',
    ({ acquire }) => ({ acquire: (id, owner) => acquire(id, owner, 0) }),
    /one owner at a time/,
    true,
  ],
  [
    'does not raise the epoch',
    ({ acquire }) => ({
      acquire: async (...values) => {
        const lease = await acquire(...values);
        return lease && { ...lease, epoch: 1 };
      },
    }),
    /one epoch later/,
  ],
  [
    'never takes over',
    ({ acquire }) => ({ acquire: (id, owner, ttlMs) => acquire(id, owner, ttlMs) }),
    /one who takes over/,
    true,
  ],
  [
    'begins epochs again with a session of the same id',
    (store) => epochsFromOne(store),
    /fences the owner of a removed session/,
  ],
  ['does not know how long a lease lasts', () => ({ leaseLeftMs: async () => 0 }), /says how long/],
  ['renews for anybody', () => ({ renew: async () => true }), /renews for the owner/],
  [
    'releases for anybody',
    ({ acquire, release, renew }) => {
      const leases: Lease[] = [];
      return {
        async acquire(...asked) {
          const lease = await acquire(...asked);
          if (lease) leases.push(lease);
          return lease;
        },
        release: async (lease) => {
          for (const one of leases) if (one.sessionId === lease.sessionId) await release(one);
          await renew(lease, 0);
        },
      };
    },
    /ignores the release/,
  ],
  [
    'ends leases by the time of day',
    ({ acquire, renew }) => {
      const until = new Map<string, number>();
      return {
        acquire: async (id, owner, ttlMs) => {
          if ((until.get(id) ?? 0) > Date.now()) return undefined;
          const lease = await acquire(id, owner, 0);
          if (lease) until.set(id, Date.now() + ttlMs);
          return lease;
        },
        renew: async (lease, ttlMs) => {
          const renewed = await renew(lease, 0);
          if (renewed) until.set(lease.sessionId, Date.now() + ttlMs);
          return renewed;
        },
        release: async (lease) => void until.delete(lease.sessionId),
      };
    },
    /by its own clock/,
  ],
];

/** Epochs count from 1 in each session. */
function epochsFromOne({ acquire, append, renew, release, read, remove }: SessionStore): Partial<SessionStore> {
  const bases = new Map<string, number>();
  const inner = (id: string, epoch: number) => (epoch === 0 ? 0 : epoch + (bases.get(id) ?? 0));
  const outer = (id: string, epoch: number) => (epoch === 0 ? 0 : epoch - (bases.get(id) ?? 0));
  return {
    async acquire(id, ...asked) {
      const lease = await acquire(id, ...asked);
      if (lease && !bases.has(id)) bases.set(id, lease.epoch - 1);
      return lease && { ...lease, epoch: outer(id, lease.epoch) };
    },
    append: (id, { epoch, head }, ...rest) => append(id, { epoch: inner(id, epoch), head }, ...rest),
    renew: (lease, ttlMs) => renew({ ...lease, epoch: inner(lease.sessionId, lease.epoch) }, ttlMs),
    release: (lease) => release({ ...lease, epoch: inner(lease.sessionId, lease.epoch) }),
    async *read(id, range) {
      for await (const entry of read(id, range)) yield { ...entry, epoch: outer(id, entry.epoch) };
    },
    async remove(id) {
      await remove(id);
      bases.delete(id);
    },
  };
}
