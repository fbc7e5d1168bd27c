/** Prints the tables of runs that are over: node benchmarks/report.mjs [--ranges] results/a.jsonl [...] */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createTables, failures } from './lib/table.mjs';

const { values, positionals } = parseArgs({ options: { ranges: { type: 'boolean' } }, allowPositionals: true });
const records = positionals.flatMap((file, run) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    // A round belongs to its run: ratios never reach from one file into another.
    .map((record) => ({ ...record, round: `${run}/${record.round}` })),
);
console.log(createTables(records, values));
for (const line of failures(records)) console.log(`Fails: ${line}`);
