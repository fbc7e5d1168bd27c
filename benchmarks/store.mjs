/**
 * What the durable store costs, against bare `node:sqlite` doing the same in the same round: `node benchmarks/store.mjs`.
 *
 *   node benchmarks/store.mjs [--rounds 5] [--messages 10000] [--sessions 10000] [--out file.jsonl]
 */
import { appendFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { libraryFile } from './lib/paths.mjs';
import { runNode } from './lib/run-node.mjs';
import { createScratch, isInMemory } from './lib/scratch.mjs';
import { storeTable } from './lib/store/table.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    messages: { type: 'string', default: '10000' },
    sessions: { type: 'string', default: '10000' },
    out: { type: 'string' },
  },
});
const [rounds, messages, sessions] = [values.rounds, values.messages, values.sessions].map(Number);

const scratch = createScratch();
if (isInMemory(scratch))
  console.error(`${scratch} is in memory, where fsync is free: set BENCH_HOME to a folder on a disk`);
const records = [];
try {
  await main();
  console.log(`\n${storeTable(records)}\n\nMedians of ${rounds} rounds. Node ${process.versions.node}.`);
} catch (error) {
  console.error(`store: ${error.message}`);
  process.exitCode = 1;
}

async function main() {
  const folder = join(scratch, 'filled');
  mkdirSync(folder);
  await child('prepare', { folder, messages, sessions });
  for (let round = 0; round < rounds; round++) {
    for (const { part, who, options } of jobs({ folder, messages, sessions })) {
      const figures = await child(part, { who, ...options });
      const record = { round, part: options.name ?? part, who: options.as ?? who, ...figures };
      records.push(record);
      if (values.out) appendFileSync(values.out, `${JSON.stringify(record)}\n`);
    }
    console.error(`round ${round + 1}/${rounds}`);
  }
}

/** Every figure of ours right behind the one that it is compared with. */
function* jobs({ folder, messages, sessions }) {
  for (const together of [1, 32]) {
    for (const who of ['bare', 'ours']) {
      const fresh = mkdtempSync(join(scratch, 'append-'));
      yield { part: 'append', who, options: { name: `append-${together}`, folder: fresh, together } };
    }
  }
  yield { part: 'resume', who: 'bare', options: { path: join(folder, 'bare.db'), messages } };
  yield { part: 'resume', who: 'ours', options: { path: join(folder, 'ours.db'), messages } };
  yield { part: 'resume', who: 'ours', options: { as: 'snapshot', path: join(folder, 'snapshot.db'), messages } };
  yield { part: 'page', who: 'bare', options: { path: join(folder, 'bare.db'), sessions } };
  yield { part: 'page', who: 'ours', options: { path: join(folder, 'list.db'), sessions } };
}

async function child(part, options) {
  const figures = await runNode([libraryFile('part-child.mjs'), `store/${part}`, JSON.stringify(options)], {
    folder: scratch,
  });
  if (figures.error) throw new Error(`${part} (${options.as ?? options.who ?? 'files'}): ${figures.error}`);
  return figures;
}
