import { libraryFile } from './paths.mjs';
import { runNode } from './run-node.mjs';

/** The measures in the order in which they are run. */
export const MEASURES = ['loop', 'growth', 'stream', 'parallel', 'crowd', 'idle', 'import', 'first'];

/** Stands for "no driver" in `import`: what Node itself costs. */
export const BARE_NODE = { name: 'node', path: undefined, floor: undefined, limits: {}, known: {} };

/**
 * Runs one measure with one driver in a process of its own.
 * @param {{ driver: any, measure: string, server: any, scratch: string, fault?: string, format?: string, flags?: readonly string[] }} options
 *   `flags` are of Node
 * @returns {Promise<Record<string, any>>} the figures, or `error`
 */
export async function runMeasure({ driver, measure, server, scratch, fault, format, flags = [] }) {
  const run = (child) => runNode(child, { folder: scratch });
  if (measure === 'import') return run([libraryFile('import-only.mjs'), ...(driver.path ? [driver.path] : [])]);
  await server.reset();
  const options = { origin: server.origin, fault, format, ...driver.limits[measure] };
  const child = ['--expose-gc', ...flags, libraryFile('measure.mjs'), driver.path, measure, JSON.stringify(options)];
  const figures = await run(child);
  const { requests, refused, lastBodyBytes } = await server.stats();
  return { ...figures, server: { requests, lastBodyBytes, refused: refused.slice(0, 3) } };
}
