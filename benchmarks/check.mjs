/**
 * Does every driver do the work it is measured with? And, as the negative control, is a driver that does not noticed?
 *
 *   node benchmarks/check.mjs [--format chat,anthropic|all] [--drivers a,b|all] [--no-install]
 */
import { parseArgs } from 'node:util';
import { defaultDrivers, findDrivers, findFormats } from './lib/driver-catalog.mjs';
import { createModelServer } from './lib/model-server.mjs';
import { prepareDrivers } from './lib/prepare-drivers.mjs';
import { runMeasure } from './lib/run-measure.mjs';
import { createScratch } from './lib/scratch.mjs';

/** What the check must say about each fault of drivers/broken.mjs, in every format. */
const FAULTS = [
  { fault: 'none' },
  { fault: 'lost delta', complaint: /characters of text/ },
  { fault: 'repeated delta', complaint: /characters of text/ },
  { fault: 'changed text', complaint: /not the one that was sent/ },
  { fault: 'call made twice', complaint: /6 tool calls instead of 3/ },
  { fault: 'call not made', complaint: /0 tool calls instead of 3/ },
  { fault: 'wrong argument', complaint: /the tool was called with/ },
  { fault: 'result not sent back', complaint: /3 calls and results instead of 6/ },
];

/** What only some formats have, and what the measures themselves must notice. */
const MORE_CONTROLS = [
  { measure: 'check', format: 'gemini', fault: 'signature not sent back', complaint: /0 signatures instead of 3/ },
  { measure: 'loop', fault: 'lost delta', complaint: /characters of text/ },
  { measure: 'loop', fault: 'call made twice', complaint: /tool calls instead of/ },
  { measure: 'growth', fault: 'call not made', complaint: /tool calls instead of/ },
  { measure: 'stream', fault: 'lost delta', complaint: /characters of text/ },
  { measure: 'parallel', fault: 'call not made', complaint: /tool calls instead of/ },
  { measure: 'crowd', fault: 'call made twice', complaint: /tool calls instead of/ },
  { measure: 'idle', fault: 'call not made', complaint: /tool calls instead of/ },
];

const { values } = parseArgs({
  options: {
    format: { type: 'string', default: 'all' },
    drivers: { type: 'string' },
    'no-install': { type: 'boolean', default: false },
  },
});

try {
  const passed = await main();
  process.exitCode = passed ? 0 : 1;
} catch (error) {
  console.error(`check: ${error.message}`);
  process.exitCode = 1;
}

async function main() {
  const formats = findFormats(values.format.split(','));
  const names = values.drivers?.split(',') ?? formats.flatMap((format) => defaultDrivers(format));
  const options = { mayInstall: !values['no-install'], log: console.error };
  const { ready, missing } = await prepareDrivers(findDrivers([...names, 'broken'], formats), options);
  const scratch = createScratch();
  const server = await createModelServer();
  try {
    const outcomes = [];
    for (const driver of ready) {
      const check = driver.name === 'broken' ? checkControls : checkDriver;
      outcomes.push(...(await check({ driver, formats, server, scratch })));
    }
    return outcomes.every(Boolean) && missing.length === 0;
  } finally {
    server.stop();
  }
}

async function checkDriver({ driver, server, scratch }) {
  const { error } = await runMeasure({ driver, measure: 'check', server, scratch });
  const known = error && driver.known.check;
  const outcome = error ? firstLine(error) : 'does the work';
  return [
    say({ passed: !error || Boolean(known), subject: driver.name, outcome: known ? `${outcome} (known)` : outcome }),
  ];
}

async function checkControls({ driver, formats, server, scratch }) {
  const outcomes = [];
  for (const { measure, format = 'chat', fault, complaint } of controlsOf(formats)) {
    const { error } = await runMeasure({ driver, measure, server, scratch, fault, format });
    const passed = complaint ? complaint.test(error ?? '') : !error;
    const outcome = error ? `noticed: ${firstLine(error)}` : 'nothing noticed';
    outcomes.push(say({ passed, subject: `control: ${fault}, ${measure}, ${format}`, outcome }));
  }
  return outcomes;
}

function controlsOf(formats) {
  const everywhere = formats.flatMap((format) => FAULTS.map((each) => ({ measure: 'check', format, ...each })));
  return [...everywhere, ...MORE_CONTROLS];
}

function say({ passed, subject, outcome }) {
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${subject.padEnd(48)} ${outcome}`);
  return passed;
}

function firstLine(text) {
  return String(text).trim().split('\n')[0].slice(0, 140);
}
