import pg from 'pg';
import { withClient } from './postgres.mjs';

/** Remembers the statements with values that this process sends. */
export function watchStatements() {
  const { query } = pg.Client.prototype;
  const seen = new Map();
  pg.Client.prototype.query = function (...args) {
    const [{ text, values }] = args;
    if (values?.length > 0 || /^\s*(with|select)/.test(text)) seen.set(text, values);
    return query.apply(this, args);
  };
  return { clear: () => seen.clear(), all: () => [...seen] };
}

/** The indexes that these statements go through, by the plans of the server, and the tables that they read from the first to the last row. */
export async function scansOf(url, statements) {
  const found = new Set();
  await withClient(url, async (client) => {
    for (const [text, values] of statements) {
      if (!/agent_sdk/.test(text)) continue;
      const { rows } = await client.query({ text: `explain (format json) ${text}`, values: values ?? [] });
      collect(rows[0]['QUERY PLAN'][0].Plan, found);
    }
  });
  return [...found].toSorted((one, other) => one.localeCompare(other));
}

function collect(node, found) {
  if (node['Index Name']) found.add(node['Index Name']);
  if (node['Node Type'] === 'Seq Scan') found.add(`all of ${node['Relation Name']}`);
  for (const child of node.Plans ?? []) collect(child, found);
}
