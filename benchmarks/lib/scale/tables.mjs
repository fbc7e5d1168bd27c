import { median } from '../statistics.mjs';

/** Ours over by hand, within a round. */
export function turnTable(records) {
  const rows = [
    ['CPU of the process, us', (record) => record.cpuUs],
    ['CPU of the server, us', (record) => record.serverUs / record.turns],
    ['round trips', (record) => record.trips],
    ['wall time, ms', (record) => record.wallMs],
  ].map(([title, value]) => {
    const of = (who) => records.filter((record) => record.who === who).map(value);
    const ratios = of('ours').map((ours, index) => ours / of('hand')[index]);
    return line(title, figure(median(of('hand'))), figure(median(of('ours'))), range(ratios));
  });
  return table(['of a turn', 'by hand', 'ours', 'ratio'], rows);
}

/** The largest over the smallest database. */
export function storedTable({ rows }, places) {
  const [few, many] = places.map(({ sessions }) => sessions.toLocaleString('en'));
  const lines = rows.map(({ name, times: [less, more], scans }) => {
    const cells = [less, more].map((times) => `${figure(median(times))} (${figure(highest(times))})`);
    return line(name, ...cells, figure(median(more) / median(less)), scans.join(', '));
  });
  const heads = ['median (p99), ms', `${few} sessions`, many, 'ratio of medians', 'goes through'];
  return table(heads, lines);
}

/** Each number of workers over one, within a round. */
export function workersTable(records) {
  const keys = [...new Set(records.map(({ replyMs, count }) => `${replyMs} ${count}`))];
  const lines = keys.map((key) => {
    const all = records.filter(({ replyMs, count }) => `${replyMs} ${count}` === key);
    const [{ replyMs, count }] = all;
    const one = (round) => records.find((each) => each.replyMs === replyMs && each.count === 1 && each.round === round);
    const ratios = all.map(({ turnsPerSecond, round }) => turnsPerSecond / one(round).turnsPerSecond);
    const of = (value) => median(all.map(value));
    const cpuMs = of(({ cpuUs }) => cpuUs) / 1000;
    const serverMs = of(({ serverUs, allTurns }) => serverUs / allTurns / 1000);
    const turns = of(({ turnsPerSecond }) => turnsPerSecond);
    const cores = (turns * (cpuMs + serverMs)) / 1000;
    return line(`${replyMs} ms`, count, figure(turns), range(ratios), ...[cpuMs, serverMs, cores].map(figure));
  });
  const heads = ['a reply takes', 'workers', 'turns a second', 'of one worker'];
  return table([...heads, 'CPU of a turn, ms', 'of the server, ms', 'cores in use'], lines);
}

function highest(times) {
  return times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.99) - 1];
}

function range(ratios) {
  const all = figure(median(ratios));
  return ratios.length > 1 ? `${all} [${figure(Math.min(...ratios))}-${figure(Math.max(...ratios))}]` : all;
}

function figure(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 1 ? 3 : 2);
}

function table(heads, lines) {
  return [line(...heads), line(...heads.map((_, index) => (index === 0 ? '---' : '--:'))), ...lines].join('\n');
}

function line(...cells) {
  return `| ${cells.join(' | ')} |`;
}
