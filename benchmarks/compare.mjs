/**
 * What a change costs: our drivers of this checkout against those of another one, in one run.
 *
 *   node benchmarks/compare.mjs --with <checkout> [--measures loop,parallel,crowd] [--drivers x-memory,x-durable] [--rounds 20]
 *
 * Both are measured as built (`pnpm build` in each). The README says how to read the figures.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findDrivers, findFormats } from './lib/driver-catalog.mjs';
import { createModelServer } from './lib/model-server.mjs';
import { prepareDrivers } from './lib/prepare-drivers.mjs';
import { runMeasure } from './lib/run-measure.mjs';
import { createScratch } from './lib/scratch.mjs';
import { median } from './lib/statistics.mjs';
import { ROWS } from './lib/table.mjs';

const { values } = parseArgs({
  options: {
    with: { type: 'string' },
    measures: { type: 'string', default: 'loop,parallel,crowd' },
    drivers: { type: 'string', default: 'x-memory,x-durable' },
    rounds: { type: 'string', default: '20' },
  },
});
if (!values.with) throw new Error('--with wants the folder of the checkout to compare with, built');

/** Where the young generation grows is chance, and costs 40 ms of the one run that it falls into: here it has its size from the start. */
const FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

const drivers = findDrivers(values.drivers.split(','), findFormats(['all'])).filter(({ workspace }) => workspace);
const { ready } = await prepareDrivers(drivers, { mayInstall: false, log: console.error });
const scratch = createScratch();
const server = await createModelServer({});
console.log('| measure | driver | the other | here | ratio | 95 % interval |\n| --- | --- | --: | --: | --: | --- |');
try {
  for (const measure of values.measures.split(',')) {
    for (const driver of ready) console.log((await compare(measure, driver)).join('\n'));
  }
} finally {
  server.stop();
}

async function compare(measure, driver) {
  const other = { ...driver, path: join(resolve(values.with), 'benchmarks', 'drivers', driver.file) };
  if (!existsSync(other.path)) throw new Error(`there is no ${other.path}`);
  const pairs = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const pair = {};
    // Each goes first in every other round: what is heated up by one must not always serve the same one.
    for (const side of round % 2 ? ['other', 'here'] : ['here', 'other']) {
      const measured = side === 'here' ? driver : other;
      pair[side] = await runMeasure({ driver: measured, measure, server, scratch, flags: FLAGS });
      if (pair[side].error) throw new Error(`${measure} of ${driver.name} (${side}): ${pair[side].error}`);
    }
    pairs.push(pair);
  }
  return ROWS.filter((row) => row.measure === measure).map((row) => line(row, driver, pairs));
}

function line({ title, value, unit }, driver, pairs) {
  const [before, now] = ['other', 'here'].map((side) => median(pairs.map((pair) => value(pair[side]))));
  const ratios = pairs.map(({ here, other }) => value(here) / value(other)).sort((left, right) => left - right);
  const [low, high] = signInterval(ratios);
  const cells = [
    title,
    driver.name,
    `${before.toFixed(3)} ${unit}`,
    `${now.toFixed(3)} ${unit}`,
    median(ratios).toFixed(3),
  ];
  return `| ${cells.join(' | ')} | ${low.toFixed(3)} to ${high.toFixed(3)} |`;
}

/** The sign test's interval of a median: no assumption on how the noise is spread (Conover, Practical Nonparametric Statistics, 3.2). */
function signInterval(sorted) {
  const rank = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2));
  return [sorted[rank], sorted.at(-1 - rank)];
}
