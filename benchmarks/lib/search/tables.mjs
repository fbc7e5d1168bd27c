/** A row per engine: hit@1 and recall@5 of the labelled set, of each half, of the set of other APIs, and of the known items. */
export function qualityTable(records) {
  const cells = ({ engine, all, tuned, judged, other, known }) => [
    engine,
    ...[all, tuned, judged, other, known].map(({ hit1, recall5 }) => `${percent(hit1)} / ${percent(recall5)}`),
  ];
  return table(['hit@1 / recall@5', 'all', 'tuned on', 'judged by', 'other APIs', 'known items'], records.map(cells));
}

/** A row per engine and size, with the medians of the rounds. */
export function scaleTable(records) {
  const groups = Map.groupBy(records, ({ count, engine }) => `${count} ${engine}`);
  const rows = [...groups.values()].map((group) => {
    const of = (name) => median(group.map((record) => record[name] ?? Number.NaN));
    const [{ tools, engine }] = group;
    const times = ['p50', 'p95', 'p99', 'changeMs'].map((name) => of(name).toFixed(3).replace('NaN', ''));
    return [String(tools), engine, of('buildMs').toFixed(0), of('heapMb').toFixed(1), ...times];
  });
  return table(['tools', '', 'build ms', 'heap MB', 'p50 ms', 'p95', 'p99', 'add or remove one'], rows);
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
