/** One engine in a process of its own: `node --expose-gc child.mjs <options as JSON>`. */
import { corpusOf, knownItems, labelledSet, otherSet } from './corpus.mjs';
import { ENGINES } from './engines.mjs';
import { halvesOf, qualityOf } from './quality.mjs';

const RESULTS = 20;
const { part, engine, folder, count } = JSON.parse(process.argv[2]);
const work = { quality, scale };
console.log(`@@${JSON.stringify(await work[part]())}`);

async function quality() {
  const { tools, queries } = labelledSet();
  const named = await searchOf(tools);
  const [tuned, judged] = halvesOf(queries).map((half) => qualityOf(half, named));
  const other = otherSet();
  return {
    all: qualityOf(queries, named),
    tuned,
    judged,
    other: qualityOf(other.queries, await searchOf(other.tools)),
    known: qualityOf(knownItems(tools), named),
  };
}

async function searchOf(tools) {
  const { add, search } = await ENGINES[engine](folder);
  for (const tool of tools) add(tool);
  return (query) => search(query, RESULTS);
}

async function scale() {
  const tools = corpusOf(count, folder);
  const queries = labelledSet()
    .queries.filter((_, place) => place % 3 === 0)
    .map(({ query }) => query);
  const { add, search, registry } = await ENGINES[engine](folder);
  let before = memory();
  let start = performance.now();
  for (const tool of tools) add(tool);
  const addMs = performance.now() - start;
  if (registry) {
    before = memory();
    start = performance.now();
    search('tool', 1); // the first search builds the index
  }
  const buildMs = registry ? performance.now() - start : addMs;
  const heapMb = (memory() - before) / 1e6;
  for (const query of queries) search(query, RESULTS);
  const times = queries.map((query) => timeOf(() => search(query, RESULTS)));
  return {
    tools: tools.length,
    addMs,
    buildMs,
    heapMb,
    ...percentiles(times),
    ...(registry && changes(registry, tools)),
  };
}

/** Takes tools out and puts them in again. */
function changes(registry, tools) {
  const times = tools.slice(-200).map((tool) => {
    const { name, description, category, tags } = tool;
    return timeOf(() => {
      registry.unregister(name);
      registry.register({ name, description, parameters: [], category, ...(tags ? { tags } : {}) }, () => undefined);
    });
  });
  return { changeMs: percentiles(times).p50 / 2 };
}

function timeOf(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function percentiles(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function memory() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
