import { DEFAULT_FLOOR, FORMATS } from './driver-catalog.mjs';
import { BARE_NODE } from './run-measure.mjs';
import { median } from './statistics.mjs';

/**
 * @typedef {object} Row
 * @property {string} measure
 * @property {string} title
 * @property {(record: any) => number} value
 * @property {string} unit of the value
 * @property {(record: any) => string} [beside] what a cell says next to its ratio
 * @property {boolean} [absolute] the value is a ratio already, and is not divided by the floor's
 */

/** @type {Row[]} */
export const ROWS = [
  { measure: 'loop', title: 'tool loop of 100 turns, CPU per turn', value: (r) => r.cpuUsPerTurn / 1000, unit: 'ms' },
  { measure: 'growth', title: 'loop of 400 turns, CPU in all', value: (r) => r.cpuMs, unit: 'ms' },
  {
    measure: 'growth',
    title: 'cost of turn 400 / turn 10',
    value: (r) => r.cpuUsLastTurn / r.cpuUsTurn10,
    unit: '',
    absolute: true,
  },
  { measure: 'stream', title: 'streaming 20,000 deltas, CPU per delta', value: (r) => r.cpuUsPerDelta, unit: 'us' },
  {
    measure: 'parallel',
    title: '64 parallel calls of 20 ms, wall (in flight)',
    value: (r) => r.wallMs,
    unit: 'ms',
    beside: (r) => String(r.maxInFlight),
  },
  { measure: 'crowd', title: '200 sessions x 10 turns, CPU per turn', value: (r) => r.cpuUsPerTurn / 1000, unit: 'ms' },
  {
    measure: 'idle',
    title: 'idle session, heap each (slope up to 1,000)',
    value: (r) => r.heapKBPerSession,
    unit: 'kB',
    beside: (r) => `${inFigures(r.heapKBPerSession)} kB`,
  },
  {
    measure: 'import',
    title: 'import, CPU',
    value: (r) => r.cpuMs,
    unit: 'ms',
    beside: (r) => `${inFigures(r.cpuMs)} ms`,
  },
  {
    measure: 'first',
    title: 'fresh process to first delta, wall',
    value: (r) => r.processToFirstDeltaMs,
    unit: 'ms',
    beside: (r) => `${inFigures(r.processToFirstDeltaMs)} ms`,
  },
];

/**
 * A markdown table per format: a row per measure, a column per driver. Every ratio is taken within a round, to the floor
 * of the format; a cell is the median.
 * @param {readonly any[]} records
 * @param {{ ranges?: boolean }} [options] with `ranges`, the smallest and the largest ratio as well
 */
export function createTables(records, options) {
  const bareNode = records.filter(({ driver }) => driver === BARE_NODE.name);
  const ofDrivers = records.filter(({ driver }) => driver !== BARE_NODE.name);
  const floors = [...new Set(ofDrivers.map(floorOf))];
  const tables = floors.map((floor) => {
    const own = ofDrivers.filter((record) => floorOf(record) === floor);
    return `${heading(floor)}\n\n${createTable({ floor, records: own, bareNode, ...options })}`;
  });
  return tables.join('\n\n');
}

/** Lines that were written when there was one floor name none. */
function floorOf({ floor = DEFAULT_FLOOR }) {
  return floor;
}

function heading(floor) {
  const format = Object.values(FORMATS).find((each) => each.floor === floor);
  return `**${format?.title ?? floor}** (ratios to \`${floor}\`)`;
}

function createTable({ floor, records, bareNode, ranges = false }) {
  const drivers = [...new Set(records.map(({ driver }) => driver))];
  const columns = [floor, ...drivers.filter((name) => name !== floor)];
  const measured = new Set(records.map(({ measure }) => measure));
  const lines = ROWS.filter(({ measure }) => measured.has(measure)).map((row) => {
    const cells = columns.map((driver) => cell({ records, row, driver, floor, ranges }));
    return `| ${[title(row, bareNode), ...cells].join(' | ')} |`;
  });
  return [`| measure | ${columns.join(' | ')} |`, `| --- |${' --: |'.repeat(columns.length)}`, ...lines].join('\n');
}

/** @returns {string[]} what did not succeed, one line per measure and driver */
export function failures(records) {
  const lines = records
    .filter(({ error }) => error)
    .map(({ driver, measure, error, known }) => `${driver}, ${measure}: ${known ?? firstLine(error)}`);
  return [...new Set(lines)];
}

function cell({ records, row, driver, floor, ranges }) {
  const own = records.filter((record) => record.measure === row.measure && record.driver === driver);
  if (own.some(({ error }) => error)) return 'fails';
  if (own.length === 0) return '-';
  if (driver === floor && !row.absolute) return `1 = ${inFigures(median(own.map(row.value)))} ${row.unit}`;
  const ratios = row.absolute ? own.map(row.value) : ratiosToFloor({ records, row, floor, own });
  const range = ranges ? ` [${inFigures(Math.min(...ratios))}-${inFigures(Math.max(...ratios))}]` : '';
  const beside = row.beside ? ` (${row.beside(middleRecord(own, row))})` : '';
  return `${inFigures(median(ratios))}${range}${beside}`;
}

function ratiosToFloor({ records, row, floor, own }) {
  const floors = records.filter((each) => each.measure === row.measure && each.driver === floor && !each.error);
  return own.flatMap((record) => {
    const beneath = floors.find(({ round }) => round === record.round);
    return beneath ? [row.value(record) / row.value(beneath)] : [];
  });
}

function middleRecord(own, row) {
  return [...own].sort((left, right) => row.value(left) - row.value(right))[own.length >> 1];
}

function title({ title: text, measure }, bareNode) {
  if (measure !== 'import' || bareNode.length === 0) return text;
  return `${text} (bare node ${inFigures(median(bareNode.map(({ cpuMs }) => cpuMs)))} ms)`;
}

function firstLine(text) {
  return String(text).trim().split('\n')[0];
}

function inFigures(value) {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
