// A registry that is searched takes every change at once: no overwrite, removal or registration stalls for the sake of all the others,
// however many there were before. The same changes are made in several registries, and of each change the fastest counts, so that what
// the machine does meanwhile is left out; memory is cleaned between changes. A control that puts its list in order anew each 5,000
// changes must be told apart: the slowest change has to stay below half of such an ordering. TOOLS=20000 CHANGES=50000 PASSES=3
// alone: it compares times
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ToolRegistry } from '../src/index.ts';

const numberOf = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const TOOLS = numberOf('TOOLS', 20_000);
const CHANGES = numberOf('CHANGES', 50_000);
const PASSES = numberOf('PASSES', 3);
setFlagsFromString('--expose-gc');
const clean = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
const implementation = async () => 'ok';
const faults: string[] = [];

const slowest = slowestOf('changes', () => undefined, CHANGES);
const inOrder = slowestOf(
  'the control',
  (registry, change) => void (change % 5_000 === 0 && sorted(registry)),
  CHANGES / 5,
);
if (slowest > inOrder / 2)
  faults.push(`the slowest change takes ${(slowest / inOrder).toFixed(2)} of an ordering of all`);
for (const fault of faults) console.error(`fault: ${fault}`);
console.log(faults.length === 0 ? 'ok' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

type Beside = (registry: ToolRegistry, change: number) => void;

/** Milliseconds of the slowest change. */
function slowestOf(name: string, beside: Beside, changes: number): number {
  const passes = Array.from({ length: PASSES }, () => pass(beside, changes));
  const fastest = passes[0]!.map((_, change) => Math.min(...passes.map((took) => took[change]!)));
  const ranked = fastest.toSorted();
  const worst = ranked.at(-1)!;
  console.log(
    `${name}: half of ${changes} in ${ranked[changes >>> 1]!.toFixed(3)} ms, the slowest ${worst.toFixed(2)} ms`,
  );
  return worst;
}

/** How long each change took, in milliseconds. */
function pass(beside: Beside, changes: number): Float64Array {
  const registry = new ToolRegistry();
  for (let index = 0; index < TOOLS; index++) register(registry, index, 0);
  registry.search('weather');
  const took = new Float64Array(changes);
  let seed = 1;
  for (let change = 0; change < changes; change++) {
    seed = (seed * 48_271) % 2_147_483_647; // Park and Miller 1988, so that all passes make the same changes
    if (change % 100 === 0) clean({ type: 'minor' });
    const start = performance.now();
    register(registry, seed % TOOLS, change);
    beside(registry, change);
    took[change] = performance.now() - start;
  }
  if (registry.search('weather', { limit: Infinity }).length !== TOOLS) faults.push('tools were lost');
  return took;
}

function register(registry: ToolRegistry, index: number, change: number): void {
  const description = `Tells the weather of station number${index} as of day${change} for some days`;
  const metadata = { name: `tool-${index}`, description, parameters: [], tags: [`region-${index % 100}`] };
  registry.register(metadata, implementation, { overwrite: true });
}

function sorted(registry: ToolRegistry): readonly string[] {
  return registry
    .list()
    .map(({ description }) => description)
    .toSorted((one, other) => (one < other ? -1 : 1));
}
