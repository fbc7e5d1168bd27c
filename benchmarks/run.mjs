/**
 * Compares agent SDKs on the same work, in one run: `pnpm bench`. The README says what is measured, and how.
 *
 *   node benchmarks/run.mjs [--format chat,anthropic|all] [--drivers a,b|all] [--measures loop,stream] [--rounds 3]
 *                           [--out file.jsonl] [--coalesce 16] [--quick] [--no-install]
 */
import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultDrivers, findDrivers, findFormats } from './lib/driver-catalog.mjs';
import { measureAll } from './lib/measure-all.mjs';
import { createModelServer } from './lib/model-server.mjs';
import { ROOT } from './lib/paths.mjs';
import { prepareDrivers } from './lib/prepare-drivers.mjs';
import { MEASURES } from './lib/run-measure.mjs';
import { createScratch, isInMemory } from './lib/scratch.mjs';
import { createTables, failures } from './lib/table.mjs';

const log = (text) => console.error(text);

try {
  await main(readOptions());
} catch (error) {
  log(`bench: ${error.message}`);
  process.exitCode = 1;
}

async function main(options) {
  const { ready, missing } = await prepareDrivers(findDrivers(options.drivers, options.formats), { ...options, log });
  const scratch = createScratch();
  if (isInMemory(scratch)) log(`${scratch} is in memory, where fsync is free: set BENCH_HOME to a folder on a disk`);
  mkdirSync(dirname(options.out), { recursive: true });
  const server = await createModelServer(options);
  try {
    const records = await measureAll({ ...options, drivers: ready }, { server, scratch, log });
    report({ records, missing, options });
    if (records.some(({ error, known }) => error && !known)) process.exitCode = 1;
  } finally {
    server.stop();
  }
}

function report({ records, missing, options }) {
  const notes = [
    `Ratios within a round, medians of ${options.rounds} ${options.rounds === 1 ? 'round' : 'rounds'}.`,
    `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model}.`,
    `Raw lines: ${options.out}`,
  ];
  console.log(`\n${createTables(records)}\n\n${notes.join(' ')}`);
  for (const line of failures(records)) console.log(`Fails: ${line}`);
  for (const { name, reason } of missing) console.log(`Not measured: ${name}: ${reason}`);
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      format: { type: 'string', default: 'chat' },
      drivers: { type: 'string' },
      measures: { type: 'string' },
      rounds: { type: 'string' },
      out: { type: 'string' },
      coalesce: { type: 'string', default: '16' },
      quick: { type: 'boolean', default: false },
      'no-install': { type: 'boolean', default: false },
    },
  });
  const formats = findFormats(list(values.format));
  return {
    formats,
    drivers: list(values.drivers) ?? formats.flatMap((format) => defaultDrivers(format, values)),
    measures: (list(values.measures) ?? MEASURES).map(knownMeasure),
    rounds: count('rounds', values.rounds ?? (values.quick ? '1' : '3')),
    eventsPerWrite: count('coalesce', values.coalesce),
    out: values.out ? resolve(values.out) : join(ROOT, 'results', `${timestamp()}.jsonl`),
    mayInstall: !values['no-install'],
  };
}

function list(text) {
  return text?.split(',').filter(Boolean);
}

function knownMeasure(name) {
  if (MEASURES.includes(name)) return name;
  throw new Error(`There is no measure ${name}; there are ${MEASURES.join(', ')}`);
}

function count(name, text) {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} wants a positive whole number, not ${text}`);
}

function timestamp() {
  return new Date().toISOString().slice(0, 19).replaceAll(':', '-');
}
