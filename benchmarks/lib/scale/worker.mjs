/** A worker of `workers.mjs`, with options as JSON; says to its parent that it serves, each run that has ended, and its CPU when asked. */
import { serveSessions } from '@x/agent-sdk';
import { pgBossEngine } from '@x/agent-sdk/pg-boss';
import { postgresStore } from '@x/agent-sdk/postgres';
import { optionsOf } from './sessions.mjs';

const { url, origin, turns, concurrency } = JSON.parse(process.argv[2]);
const options = optionsOf({ origin, turns });
const store = postgresStore({ connectionString: url });
const engine = pgBossEngine({ connectionString: url, concurrency });
const serving = await serveSessions({
  engine,
  store,
  options: () => options,
  onEvent: (event) => {
    if (event.type === 'result') process.send({ ended: event.subtype });
  },
  onError: (error) => process.send({ error: String(error) }),
});
process.on('message', (asked) => {
  const { user, system } = process.cpuUsage();
  if (asked === 'cpu') process.send({ cpuUs: user + system });
});
process.once('SIGTERM', () => void leave());
process.send({ serves: true });

async function leave() {
  for (const one of [serving, engine, store]) await one[Symbol.asyncDispose]();
  process.disconnect();
}
