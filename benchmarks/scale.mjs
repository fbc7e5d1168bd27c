/**
 * Sessions in Postgres at scale, on a server that is started for it in a folder of its own (Debian's `postgresql`):
 *
 *   node benchmarks/scale.mjs [--parts turn,stored,workers] [--rounds 3] [--sessions 100000] [--only <part of an operation's name>] [--small]
 *
 * turn: CPU and round trips of a turn, against the same written by hand with `pg`. stored: lists, resumes and appends with 100,000 stored sessions,
 * against 1,000. workers: turns a second with 1, 2 and 4 workers, with a model that takes its time and with one that does not.
 */
import { parseArgs } from 'node:util';
import { createModelServer } from './lib/model-server.mjs';
import { libraryFile } from './lib/paths.mjs';
import { runNode } from './lib/run-node.mjs';
import { startPostgres } from './lib/scale/postgres.mjs';
import { storedTable, turnTable, workersTable } from './lib/scale/tables.mjs';
import { createScratch } from './lib/scratch.mjs';

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'turn,stored,workers' },
    rounds: { type: 'string' },
    turns: { type: 'string' },
    sessions: { type: 'string' },
    samples: { type: 'string' },
    runs: { type: 'string' },
    only: { type: 'string', default: '' },
    small: { type: 'boolean', default: false },
  },
});
const sizes = values.small
  ? { rounds: 1, turns: 30, sessions: 5_000, samples: 50, runs: 20 }
  : { rounds: 3, turns: 100, sessions: 100_000, samples: 500, runs: 150 };
for (const name of Object.keys(sizes)) if (values[name] !== undefined) sizes[name] = Number(values[name]);
const FEW = 1_000;
const WORKERS = [1, 2, 4];
/** Of the runs of workers. */
const TURNS = 9;
const CONCURRENCY = 4;
const REPLY_MS = [50, 200];
const LONGEST_MS = 900_000;

const parts = { turn, stored, workers };
const asked = values.parts.split(',');
const scratch = createScratch();
const postgres = await startPostgres();
let databases = 0;
try {
  for (const name of asked) if (!parts[name]) throw new Error(`no part ${name}: ${Object.keys(parts).join()}`);
  for (const name of asked) console.log(`\n${await parts[name]()}`);
} catch (error) {
  console.error(`scale: ${error.message}`);
  process.exitCode = 1;
} finally {
  await postgres[Symbol.asyncDispose]();
}

async function turn() {
  return await withModel({}, async (origin) => {
    const url = await newDatabase();
    const records = [];
    for (let round = 0; round < sizes.rounds; round++)
      for (const who of ['hand', 'ours'])
        records.push({ round, who, ...(await child('turn', { who, url, origin, turns: sizes.turns, runs: 5 })) });
    return turnTable(records);
  });
}

async function stored() {
  return await withModel({}, async (origin) => {
    const places = [];
    for (const sessions of [FEW, sizes.sessions]) {
      const url = await newDatabase();
      const startedAt = performance.now();
      await child('fill', { url, origin, sessions });
      console.error(`${sessions} sessions in ${Math.round((performance.now() - startedAt) / 1000)} s`);
      places.push({ url, sessions });
    }
    return storedTable(await child('stored', { places, origin, samples: sizes.samples, only: values.only }), places);
  });
}

async function workers() {
  const records = [];
  for (const replyMs of [REPLY_MS, [0, 0]]) {
    await withModel({ replyMs }, async (origin) => {
      for (let round = 0; round < sizes.rounds; round++) {
        for (const count of WORKERS) {
          const options = { url: await newDatabase(), origin, turns: TURNS, concurrency: CONCURRENCY };
          const runs = replyMs[1] > 0 ? sizes.runs * count : sizes.runs * 2; // about the same time for each
          const figures = await child('workers', { ...options, workers: count, runs: Math.ceil(runs / 2) });
          records.push({ round, replyMs: replyMs.join('-'), count, ...figures });
        }
      }
    });
  }
  return workersTable(records);
}

async function withModel(options, work) {
  const server = await createModelServer(options);
  try {
    return await work(server.origin);
  } finally {
    server.stop();
  }
}

function newDatabase() {
  return postgres.database(`scale_${(databases += 1)}`);
}

/** The figures of a part in a process of its own, with the CPU time that the server has used meanwhile. */
async function child(part, options) {
  const before = postgres.cpuUs();
  const given = [libraryFile('part-child.mjs'), `scale/${part}`, JSON.stringify(options)];
  const figures = await runNode(given, { folder: scratch, timeoutMs: LONGEST_MS });
  if (figures.error) throw new Error(`${part}: ${figures.error}`);
  return { ...figures, serverUs: postgres.cpuUs() - before };
}
