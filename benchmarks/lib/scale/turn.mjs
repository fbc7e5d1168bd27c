import pg from 'pg';
import { createByHand } from './by-hand.mjs';
import { createSessions } from './sessions.mjs';

/** Runs before the clock starts. */
const WARM_UPS = 3;

/** Runs of so many turns with one tool call each, and a closing one, all of it durable in Postgres: CPU and round trips per turn. */
export async function turn({ who, url, origin, turns, runs }) {
  const trips = countTrips();
  const made = await (who === 'ours' ? createSessions : createByHand)({ url, origin, turns });
  for (let run = 0; run < WARM_UPS; run++) await made.run();
  const before = process.cpuUsage();
  const [tripsBefore, startedAt] = [trips(), performance.now()];
  for (let run = 0; run < runs; run++) await made.run();
  const { user, system } = process.cpuUsage(before);
  const wallMs = performance.now() - startedAt;
  const figures = { trips: trips() - tripsBefore, cpuUs: user + system, wallMs };
  await made.close();
  const all = runs * (turns + 1);
  return { turns: all, ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value / all])) };
}

/** Every statement of `pg` in this process is one round trip. */
function countTrips() {
  const { query } = pg.Client.prototype;
  let count = 0;
  pg.Client.prototype.query = function (...args) {
    count += 1;
    return query.apply(this, args);
  };
  return () => count;
}
