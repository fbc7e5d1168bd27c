import { appendFileSync } from 'node:fs';
import { BARE_NODE, runMeasure } from './run-measure.mjs';

/**
 * All measures of all drivers, `rounds` times. Drivers are interleaved, measure by measure, so that what else the machine
 * does hits all of them, and their floor in the same round makes up for it.
 * @param {object} plan
 * @param {readonly any[]} plan.drivers
 * @param {readonly string[]} plan.measures
 * @param {number} plan.rounds
 * @param {string} plan.out a JSON line per result is appended to this file
 * @param {number} plan.eventsPerWrite
 * @param {{ server: any, scratch: string, log: (text: string) => void }} surroundings
 */
export async function measureAll(plan, { server, scratch, log }) {
  const records = [];
  for (const { round, measure, driver } of schedule(plan)) {
    const start = performance.now();
    const figures = await runMeasure({ driver, measure, server, scratch });
    const known = figures.error && driver.known[measure];
    const record = {
      at: new Date().toISOString(),
      round,
      eventsPerWrite: plan.eventsPerWrite,
      driver: driver.name,
      floor: driver.floor,
      measure,
      ...figures,
      ...(known && { known }),
    };
    records.push(record);
    appendFileSync(plan.out, `${JSON.stringify(record)}\n`);
    log(progress(record, plan, performance.now() - start));
  }
  return records;
}

function* schedule({ drivers, measures, rounds }) {
  for (let round = 0; round < rounds; round++) {
    for (const measure of measures) {
      const visited = measure === 'import' ? [BARE_NODE, ...drivers] : drivers;
      for (const driver of visited) yield { round, measure, driver };
    }
  }
}

function progress({ round, measure, driver, error }, { rounds }, tookMs) {
  const outcome = error ? `FAILED: ${String(error).slice(0, 300)}` : `${(tookMs / 1000).toFixed(1)} s`;
  return `round ${round + 1}/${rounds} ${measure.padEnd(8)} ${driver.padEnd(20)} ${outcome}`;
}
