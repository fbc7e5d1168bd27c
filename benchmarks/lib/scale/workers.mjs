import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createSession } from '@x/agent-sdk';
import { pgBossEngine } from '@x/agent-sdk/pg-boss';
import { postgresStore } from '@x/agent-sdk/postgres';
import { libraryFile } from '../paths.mjs';
import { optionsOf } from './sessions.mjs';

/** Runs of each worker before the clock starts. */
const WARM_UPS = 3;

/** So many runs by workers in processes of their own, which come over a queue: turns a second, and CPU of the workers per turn. */
export async function workers({ url, origin, workers: count, runs, turns, concurrency }) {
  const store = postgresStore({ connectionString: url });
  const engine = pgBossEngine({ connectionString: url });
  const options = { ...optionsOf({ origin, turns }), store };
  const all = await Promise.all(Array.from({ length: count }, () => start({ url, origin, turns, concurrency })));
  await served({ all, engine, sessions: await create(WARM_UPS * count, options) });
  const sessions = await create(runs, options);
  const before = await cpuUsOf(all);
  const startedAt = performance.now();
  await served({ all, engine, sessions });
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuUs = (await cpuUsOf(all)) - before;
  for (const worker of all) await stop(worker);
  await engine[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  const allTurns = runs * (turns + 1);
  return { turnsPerSecond: allTurns / seconds, cpuUs: cpuUs / allTurns, allTurns };
}

function create(count, options) {
  return Promise.all(Array.from({ length: count }, () => createSession(options)));
}

/** Sends a message to each session and asks for it; resolves when all runs have ended. */
async function served({ all, engine, sessions }) {
  const ended = runsEnded(all, sessions.length);
  const sent = sessions.map(async (session) => {
    await session.send('Go.');
    await engine.submit(session.sessionId);
  });
  await Promise.all([ended, ...sent]);
}

function runsEnded(all, count) {
  return new Promise((resolve, reject) => {
    let left = count;
    const listen = ({ ended, error }) => {
      if (error ?? (ended && ended !== 'success')) reject(new Error(`a run: ${error ?? ended}`));
      if (!ended || --left > 0) return;
      for (const worker of all) worker.off('message', listen);
      resolve();
    };
    for (const worker of all) {
      worker.on('message', listen);
      worker.once('exit', (code) => reject(new Error(`a worker has ended with ${code}`)));
    }
  });
}

async function start(options) {
  const worker = fork(libraryFile('scale/worker.mjs'), [JSON.stringify(options)]);
  await once(worker, 'message');
  return worker;
}

async function stop(worker) {
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  await ended;
}

async function cpuUsOf(all) {
  let sum = 0;
  for (const worker of all) {
    worker.send('cpu');
    const [{ cpuUs }] = await once(worker, 'message'); // no run is under way that could say something else
    sum += cpuUs;
  }
  return sum;
}
