import { resumeSession, serveSessions } from '@x/agent-sdk';
import { runningSessions } from '@x/agent-sdk/operations';
import { postgresStore } from '@x/agent-sdk/postgres';
import { entryOf } from '../store/message.mjs';
import { idOf, NOT_IDLE, OF_A_USER, TENANTS } from './fill.mjs';
import { scansOf, watchStatements } from './scans.mjs';
import { optionsOf } from './sessions.mjs';

const WARM_UPS = 10;
/** Of what reads many sessions, few are enough. */
const FEW_SAMPLES = 5;

/** Milliseconds of each operation on each of the databases, in turn, and what the largest one reads by a plan of the server. */
export async function stored({ places, origin, samples, only }) {
  const worlds = places.map(({ url, sessions }) => ({
    url,
    sessions,
    store: postgresStore({ connectionString: url }),
  }));
  const rows = [];
  const statements = watchStatements();
  for (const [name, operation] of Object.entries(operationsOf(origin))) {
    if (!name.includes(only)) continue;
    const count = operation.isLong ? FEW_SAMPLES : samples;
    const times = worlds.map(() => []);
    for (let index = -Math.min(WARM_UPS, count); index < count; index++) {
      for (const [place, world] of worlds.entries()) {
        statements.clear();
        const ms = await operation.time(world);
        if (index >= 0) times[place].push(ms);
      }
    }
    rows.push({ name, times, scans: await scansOf(worlds.at(-1).url, statements.all()) });
  }
  for (const { store } of worlds) await store[Symbol.asyncDispose]();
  return { rows };
}

function operationsOf(origin) {
  const options = optionsOf({ origin, turns: 1 });
  const listed = (queryOf, expected = () => 50) =>
    timed(async (world) => {
      const { sessions } = await world.store.list(queryOf(world));
      if (sessions.length !== expected(world)) throw new Error(`a page of ${sessions.length}`);
    });
  const inState = (state) =>
    listed(
      () => ({ state }),
      () => NOT_IDLE,
    );
  return {
    'list, first page of 50': listed(() => ({})),
    'list, a page in the middle': {
      time: async (world) => {
        const [middle] = (await world.store.list({ sessionId: idOf(world.sessions / 2) })).sessions;
        const cursor = `${Date.parse(middle.updatedAt)}:${middle.sessionId}`;
        return await listed(() => ({ cursor })).time(world);
      },
    },
    'list, by metadata of 10 sessions': listed(
      (world) => ({ metadata: { user: `u${pick(world.sessions / OF_A_USER)}` } }),
      () => OF_A_USER,
    ),
    'list, by metadata of a twentieth of all': listed(() => ({ metadata: { tenant: `t${pick(TENANTS)}` } })),
    'list, by folder of 10 sessions': listed(
      (world) => ({ cwd: `/work/p${pick(world.sessions / OF_A_USER)}` }),
      () => OF_A_USER,
    ),
    'list, waiting': inState('waiting'),
    'list, interrupted': inState('interrupted'),
    'list, running': inState('running'),
    'list, idle': listed(() => ({ state: 'idle' })),
    'resume, with all messages': timed(async (world) => {
      const session = await resumeSession({ ...options, sessionId: someId(world), store: world.store });
      if (session.messages.length !== 4) throw new Error(`${session.messages.length} messages`);
    }),
    'acquire and release': timed(async (world) => {
      await world.store.release(await world.store.acquire(someId(world), 'scale', 60_000));
    }),
    append: {
      time: async (world) => {
        const lease = await world.store.acquire(someId(world), 'scale', 60_000);
        const ms = await timed(() => world.store.append(lease.sessionId, lease, [entryOf(1)])).time(world);
        await world.store.release(lease);
        return ms;
      },
    },
    'look for messages that wait': timed((world) => world.store.waiting()),
    'metrics: depth and age of what waits': timed((world) => world.store.backlog()),
    runningSessions: timed(async ({ store }) => {
      const { length } = await runningSessions({ store });
      if (length !== NOT_IDLE) throw new Error(`${length} sessions run`);
    }),
    'a worker begins to serve': {
      isLong: true,
      ...timed(async ({ store }) => {
        const serving = await serveSessions({ engine: DEAF, store, options: () => options });
        await serving[Symbol.asyncDispose]();
      }),
    },
  };
}

/** Takes asks and runs nothing. */
const DEAF = {
  submit: async () => undefined,
  serve: async () => ({ [Symbol.asyncDispose]: async () => undefined }),
  [Symbol.asyncDispose]: async () => undefined,
};

function timed(work) {
  return {
    time: async (world) => {
      const startedAt = performance.now();
      await work(world);
      return performance.now() - startedAt;
    },
  };
}

/** Of an idle session: those in other states are at multiples of a hundredth. */
function someId({ sessions }) {
  const each = Math.floor(sessions / (5 * NOT_IDLE));
  return idOf(pick(5 * NOT_IDLE) * each + 1 + pick(each - 1));
}

function pick(count) {
  return Math.floor(Math.random() * count);
}
