/**
 * What readers cost a run: the tool loop of 100 turns, with none, one and a hundred readers in the same process, as ratios of CPU to none in the
 * same round; what following from another process costs, in CPU for 1,000 records; and what the first 1,000, 10,000 and 100,000 records cost a
 * process that has followed nothing yet, next to what they cost it without this SDK.
 *
 *   node benchmarks/follow.mjs [--rounds 5]
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createModelServer } from './lib/model-server.mjs';
import { libraryFile } from './lib/paths.mjs';
import { runNode } from './lib/run-node.mjs';
import { createScratch } from './lib/scratch.mjs';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const READERS = [0, 1, 100];
const RECORDS = [1_000, 10_000, 100_000];

const server = await createModelServer({});
const scratch = createScratch();
const path = join(scratch, 'followed.db');
try {
  console.log(
    '| store | no reader, CPU per turn | 1 reader | 100 readers | elsewhere, CPU of 1,000 records |\n| --- | --: | --: | --: | --: |',
  );
  for (const store of ['memory', 'sqlite']) console.log(await row(store));
  for (const line of await longLogs()) console.log(line);
} finally {
  server.stop();
}

async function row(store) {
  const figures = [];
  for (let round = 0; round < rounds; round++) {
    const figure = {};
    for (const readers of READERS) figure[readers] = (await part({ store, readers })).cpuUsPerTurn;
    if (store === 'sqlite') figure.elsewhere = (await part({ store, readers: 'elsewhere' })).cpuMsPer1000;
    figures.push(figure);
  }
  const ratio = (readers) => median(figures.map((figure) => figure[readers] / figure[0])).toFixed(2);
  const elsewhere = store === 'sqlite' ? `${median(figures.map((figure) => figure.elsewhere)).toFixed(1)} ms` : '';
  return `| ${store} | ${median(figures.map((figure) => figure[0])).toFixed(0)} us | ${ratio(1)} | ${ratio(100)} | ${elsewhere} |`;
}

/** A table of the CPU of 1,000 records, by the number that a fresh process reads. */
async function longLogs() {
  const figures = { bare: RECORDS.map(() => []), follow: RECORDS.map(() => []) };
  await fresh('long-log', { step: 'fill', records: RECORDS.at(-1) });
  for (let round = 0; round < rounds; round++) {
    for (const [index, records] of RECORDS.entries()) {
      for (const step of ['bare', 'follow'])
        figures[step][index].push((await child('long-log', { step, records })).cpuMsPer1000);
    }
  }
  const rowOf = (name, step) =>
    `| ${name} | ${figures[step].map((each) => `${median(each).toFixed(1)} ms`).join(' | ')} |`;
  const heads = RECORDS.map((records) => records.toLocaleString('en')).join(' | ');
  return [
    `\n| CPU of 1,000 records, of the first | ${heads} |\n| --- | --: | --: | --: |`,
    rowOf('SQLite, `JSON.parse`, checksum and time', 'bare'),
    rowOf('`watchSession`', 'follow'),
  ];
}

function part(options) {
  return fresh('part', options);
}

/** A part that begins without a file. */
async function fresh(name, options) {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  await server.reset();
  return await child(name, options);
}

async function child(name, options) {
  const values = JSON.stringify({ ...options, path, origin: server.origin });
  const figures = await runNode([libraryFile(`follow/${name}.mjs`), values], { folder: scratch });
  if (figures.error) throw new Error(figures.error);
  return figures;
}
