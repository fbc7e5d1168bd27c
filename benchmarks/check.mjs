/**
 * Does every driver do the work it is measured with? And, as the negative control, is a driver that does not noticed?
 *
 *   node benchmarks/check.mjs [--drivers a,b|all] [--no-install]
 */
import { parseArgs } from 'node:util';
import { DEFAULT_DRIVERS, findDrivers } from './lib/driver-catalog.mjs';
import { createModelServer } from './lib/model-server.mjs';
import { prepareDrivers } from './lib/prepare-drivers.mjs';
import { runMeasure } from './lib/run-measure.mjs';
import { createScratch } from './lib/scratch.mjs';

/** What the check, and the measures themselves, must say about each fault of drivers/broken.mjs. */
const CONTROLS = [
  { measure: 'check', fault: 'none' },
  { measure: 'check', fault: 'lost delta', complaint: /characters of text/ },
  { measure: 'check', fault: 'repeated delta', complaint: /characters of text/ },
  { measure: 'check', fault: 'changed text', complaint: /not the one that was sent/ },
  { measure: 'check', fault: 'call made twice', complaint: /6 tool calls instead of 3/ },
  { measure: 'check', fault: 'call not made', complaint: /0 tool calls instead of 3/ },
  { measure: 'check', fault: 'wrong argument', complaint: /the tool was called with/ },
  { measure: 'check', fault: 'result not sent back', complaint: /3 calls and results instead of 6/ },
  { measure: 'loop', fault: 'lost delta', complaint: /characters of text/ },
  { measure: 'loop', fault: 'call made twice', complaint: /tool calls instead of/ },
  { measure: 'growth', fault: 'call not made', complaint: /tool calls instead of/ },
  { measure: 'stream', fault: 'lost delta', complaint: /characters of text/ },
  { measure: 'parallel', fault: 'call not made', complaint: /tool calls instead of/ },
  { measure: 'crowd', fault: 'call made twice', complaint: /tool calls instead of/ },
  { measure: 'idle', fault: 'call not made', complaint: /tool calls instead of/ },
];

const { values } = parseArgs({
  options: { drivers: { type: 'string' }, 'no-install': { type: 'boolean', default: false } },
});

try {
  const passed = await main();
  process.exitCode = passed ? 0 : 1;
} catch (error) {
  console.error(`check: ${error.message}`);
  process.exitCode = 1;
}

async function main() {
  const names = values.drivers?.split(',') ?? DEFAULT_DRIVERS;
  const options = { mayInstall: !values['no-install'], log: console.error };
  const { ready, missing } = await prepareDrivers(findDrivers([...names, 'broken']), options);
  const scratch = createScratch();
  const server = await createModelServer();
  try {
    const outcomes = [];
    for (const driver of ready) {
      outcomes.push(...(await (driver.name === 'broken' ? checkControls : checkDriver)({ driver, server, scratch })));
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

async function checkControls({ driver, server, scratch }) {
  const outcomes = [];
  for (const { measure, fault, complaint } of CONTROLS) {
    const { error } = await runMeasure({ driver, measure, server, scratch, fault });
    const passed = complaint ? complaint.test(error ?? '') : !error;
    const outcome = error ? `noticed: ${firstLine(error)}` : 'nothing noticed';
    outcomes.push(say({ passed, subject: `control: ${fault}, ${measure}`, outcome }));
  }
  return outcomes;
}

function say({ passed, subject, outcome }) {
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${subject.padEnd(38)} ${outcome}`);
  return passed;
}

function firstLine(text) {
  return String(text).trim().split('\n')[0].slice(0, 140);
}
