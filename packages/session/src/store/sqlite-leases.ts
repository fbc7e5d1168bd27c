import type { SQLOutputValue } from 'node:sqlite';
import type { Lease, SessionStore } from '../log/session-store.ts';
import type { WriteOptions } from './group-commit.ts';
import { type LeaseClock, leaseClock } from './lease-clock.ts';
import type { LeasedSessions } from './leased-sessions.ts';
import { hasEnded, processIdentity } from './process-identity.ts';
import { notFound } from './refusals.ts';
import type { OpenSqlite } from './sqlite-file.ts';
import { type Access, HEAD, NOW } from './sqlite-fragments.ts';

export type LeaseMethods = Required<Pick<SessionStore, 'acquire' | 'renew' | 'release' | 'leaseLeftMs'>>;

/** The JSON in the column `owner`. */
interface Holder {
  readonly owner: string;
  /** Duration of the lease at its last renewal. */
  readonly ttlMs: number;
  /** The process, if it can be identified. */
  readonly process?: string;
  /** The even clock of the holder's machine, and the end of the lease by it. */
  readonly clock?: string;
  readonly until?: number;
}

type Row = Readonly<Record<string, SQLOutputValue>>;
interface Knowing {
  readonly clock: LeaseClock | undefined;
  readonly leased: LeasedSessions;
}

const FIND = `select number, ${HEAD} as head, epoch, owner, lease_until, ${NOW} as time_of_day from sessions where id = ?`;
const TAKE = `update sessions set epoch = ?, owner = ?, lease_until = ${NOW} + ? where id = ?`;
const RENEW = `update sessions set owner = ?, lease_until = ${NOW} + ?, updated_at = ${NOW}
  where id = ? and epoch = ? and owner is not null`;
const OWNER = 'select owner from sessions where id = ? and epoch = ?';
const CUT = `update sessions set lease_until = ${NOW} + ? where id = ?`;
const RELEASE = 'update sessions set owner = null where id = ? and epoch = ?';

/**
 * Epochs per session of a file, from its number, which is never used again: the owner of a removed session is fenced from a new one with
 * the same id.
 */
const EPOCHS = 2 ** 20;

/** A power cut ends the owner as well, and undoes nothing that was flushed since: an owner that has written under a lease still has it. */
const MAY_BE_LOST: WriteOptions = { mayBeLost: true };

/**
 * Acquires, renews and releases leases. A lease ends by the even clock of the machine, which no change of the time of day moves; the time
 * of day counts for holders on other machines and of earlier boots. The holder is noted with its process, so that the lease of a killed one
 * need not run out.
 */
export function leaseMethods(access: Access): LeaseMethods {
  const { read } = access;
  const identity = processIdentity();
  const clock = leaseClock();
  const noted = (owner: string, ttlMs: number): string => {
    const until = clock && { clock: clock.name, until: clock.now() + ttlMs };
    const holder: Holder = { owner, ttlMs, ...(identity === undefined ? {} : { process: identity }), ...until };
    return JSON.stringify(holder);
  };
  const writeLease = leaseWrites(access);
  return {
    acquire: (sessionId, owner, ttlMs, { takeOver = false } = {}) =>
      writeLease((open): Lease | undefined => {
        const { all, run, leased } = open;
        const [found] = all(FIND, sessionId);
        if (!found) throw notFound(sessionId);
        const holder = holderIn(found['owner'], ttlMs);
        const leftMs = holder ? millisecondsLeft(holder, found, { clock, leased }) : 0;
        // The time of day has jumped back: a living holder renews the lease before this has run out.
        if (holder && leftMs > holder.ttlMs) run(CUT, holder.ttlMs, sessionId);
        if (leftMs > 0 && !takeOver) return undefined;
        const number = Number(found['number']);
        const epoch = Math.max(Number(found['epoch']), (number - 1) * EPOCHS) + 1;
        run(TAKE, epoch, noted(owner, ttlMs), ttlMs, sessionId);
        const lease = { sessionId, owner, head: Number(found['head']), epoch };
        leased.add(sessionId, { number, epoch, head: lease.head });
        return lease;
      }),
    renew: (lease, ttlMs) =>
      writeLease(({ all, run, leased }) => {
        const { sessionId, owner, epoch } = lease;
        const renewed = isHeld(all, lease) && run(RENEW, noted(owner, ttlMs), ttlMs, sessionId, epoch) > 0;
        if (!renewed) leased.leave(lease);
        return renewed;
      }),
    async release(lease) {
      const { over } = read().leased;
      try {
        await writeLease((open) => giveBack(open, lease));
      } catch (error) {
        over.set(lease.owner, lease);
        throw error;
      }
    },
    async leaseLeftMs(sessionId) {
      const { all, leased } = read();
      const [found] = all(FIND, sessionId);
      if (!found) throw notFound(sessionId);
      return leaseLeft(found, { clock, leased });
    },
  };
}

/** Milliseconds that the lease in a row of sessions lasts. */
export function leaseLeft(row: Row, knowing: Knowing): number {
  const holder = holderIn(row['owner'], 0);
  return holder ? Math.max(0, millisecondsLeft(holder, row, knowing)) : 0;
}

/** Writes leases, together with those that could not be given back before. */
function leaseWrites({ read, write }: Access): <T>(work: (open: OpenSqlite) => T) => Promise<T> {
  return async (work) => {
    const { over } = read().leased;
    const left = [...over.values()];
    const value = await write((open) => {
      for (const lease of left) giveBack(open, lease);
      return work(open);
    }, MAY_BE_LOST);
    for (const { owner } of left) over.delete(owner);
    return value;
  };
}

function giveBack({ all, run, leased }: OpenSqlite, lease: Lease): void {
  if (isHeld(all, lease)) run(RELEASE, lease.sessionId, lease.epoch);
  leased.leave(lease);
}

/** True when this owner holds the session. */
function isHeld(all: OpenSqlite['all'], { sessionId, owner, epoch }: Lease): boolean {
  const [found] = all(OWNER, sessionId, epoch);
  return holderIn(found?.['owner'], 0)?.owner === owner;
}

/** Undefined when nobody holds the session. A note that cannot be read counts for one lease at most. */
export function holderIn(column: SQLOutputValue | undefined, ttlMs: number): Holder | undefined {
  if (typeof column !== 'string') return undefined;
  try {
    return JSON.parse(column) as Holder; // safe: written by `noted`
  } catch {
    return { owner: column, ttlMs };
  }
}

function millisecondsLeft(
  { owner, process, clock: name, until }: Holder,
  row: Row,
  { clock, leased }: Knowing,
): number {
  if (leased.over.has(owner)) return 0;
  if (process !== undefined && hasEnded(process)) return 0;
  if (clock && name === clock.name && until !== undefined) return until - clock.now();
  return Number(row['lease_until']) - Number(row['time_of_day']);
}
