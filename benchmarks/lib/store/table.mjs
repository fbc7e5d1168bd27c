import { median } from '../statistics.mjs';

/**
 * @typedef {object} Row
 * @property {string} part
 * @property {string} title
 * @property {string} unit
 * @property {(record: any) => number} bare
 * @property {string} who
 * @property {(record: any) => number} ours
 */

/** @type {Row[]} */
const ROWS = [
  row('append-1', 'durable append of 2 kB, p50', { unit: 'us', value: (r) => r.wallUs }),
  row('append-1', 'the same, CPU', { unit: 'us', value: (r) => r.cpuUs }),
  row('append-32', '32 per commit, each, p50', { unit: 'us', value: (r) => r.wallUs }),
  row('append-32', 'the same, CPU', { unit: 'us', value: (r) => r.cpuUs }),
  row('resume', 'resume without a snapshot, all messages', { value: (r) => r.wallMs }),
  row('resume', 'the same, CPU', { value: (r) => r.cpuMs }),
  row('resume', 'resume with a snapshot, all messages', { who: 'snapshot', value: (r) => r.wallMs }),
  row('resume', 'the same, CPU', { who: 'snapshot', value: (r) => r.cpuMs }),
  row('resume', 'until a prompt can be sent', { who: 'snapshot', value: (r) => r.promptMs, bare: (r) => r.lastMs }),
  row('resume', 'the same, the second time', { who: 'snapshot', value: (r) => r.againMs, bare: (r) => r.lastMs }),
  row('page', 'first page of sessions, file opened', { value: (r) => r.firstMs }),
  row('page', 'each further page', { value: (r) => r.wallMs }),
];

/** @returns {Row} */
function row(part, title, { unit = 'ms', who = 'ours', value, bare = value }) {
  return { part, title, unit, who, bare, ours: value };
}

/** A markdown table: what bare node:sqlite takes, what ours takes, and the ratio, which is taken within a round. */
export function storeTable(records) {
  const lines = ROWS.map(({ part, title, unit, who, bare, ours }) => {
    const of = (name) => records.filter((record) => record.part === part && record.who === name);
    const ratios = of(who).flatMap((record) => {
      const beneath = of('bare').find(({ round }) => round === record.round);
      return beneath ? [ours(record) / bare(beneath)] : [];
    });
    const range = `${inFigures(Math.min(...ratios))}-${inFigures(Math.max(...ratios))}`;
    const cells = [median(of('bare').map(bare)), median(of(who).map(ours))].map(
      (value) => `${inFigures(value)} ${unit}`,
    );
    return `| ${[title, ...cells, `${inFigures(median(ratios))} [${range}]`].join(' | ')} |`;
  });
  return ['| part | node:sqlite | ours | ratio |', '| --- | --: | --: | --: |', ...lines].join('\n');
}

function inFigures(value) {
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
