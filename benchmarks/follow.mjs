/**
 * What readers cost a run: the tool loop of 100 turns, with none, one and a hundred readers in the same process, as ratios of CPU to none in the
 * same round; and what following from another process costs, in CPU for 1,000 records.
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

const server = await createModelServer({});
const scratch = createScratch();
try {
  console.log(
    '| store | no reader, CPU per turn | 1 reader | 100 readers | elsewhere, CPU of 1,000 records |\n| --- | --: | --: | --: | --: |',
  );
  for (const store of ['memory', 'sqlite']) console.log(await row(store));
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

async function part(options) {
  const path = join(scratch, 'followed.db');
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  await server.reset();
  const values = JSON.stringify({ ...options, path, origin: server.origin });
  const figures = await runNode([libraryFile('follow/part.mjs'), values], { folder: scratch });
  if (figures.error) throw new Error(figures.error);
  return figures;
}
