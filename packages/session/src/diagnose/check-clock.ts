import type { Finding } from './diagnosis.ts';

/** A clock that shows an earlier time is wrong. */
const EARLIEST = Date.UTC(2025, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** Checks that the clock can be right. Leases do not depend on it; certificates and the dates of a log do. */
export function checkClock(now: number = Date.now()): Finding {
  const detail = `it is ${new Date(now).toISOString()}`;
  if (now >= EARLIEST && now < LATEST) return { status: 'ok', detail };
  return { status: 'warning', detail, hint: 'Set the clock: services refuse a connection from another time' };
}
