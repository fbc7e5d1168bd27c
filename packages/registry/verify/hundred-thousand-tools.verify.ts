// 100,000 tools: registering them is linear, by metadata and as finished tools, with and without dependencies, also where many need
// one and one needs many; lists, pages and searches over them answer; so does taking half of them out. Time is CPU time of this
// process, compared within the run. A control that looks at every tool at each registration must be told apart.
// TOOLS=100000
// alone: it compares times
import { defineTool } from '@x/core';
import { metadataTool, type RegisterOptions, ToolRegistry } from '../src/index.ts';

const TOOLS = Number(process.env['TOOLS'] ?? 100_000);
/** What ten times as many tools may cost over ten times the time; caches and collections are noticed. */
const SLACK = 4;
const faults: string[] = [];

const parameters = [
  { name: 'city', type: 'string' as const, description: 'where', required: true },
  { name: 'days', type: 'number' as const, description: 'how many', minimum: 1, maximum: 14, default: 3 },
];
const nameOf = (index: number): string => `tool-${index}`;
const metadataOf = (index: number) => ({
  name: nameOf(index),
  description: `Tells the weather of station number${index} for some days`,
  parameters,
  tags: ['weather', `region-${index % 100}`],
  category: `group-${index % 10}`,
});
const implementation = async ({ city }: Record<string, unknown>) => city;
const finished = metadataTool(metadataOf(0), implementation);

type Way = (registry: ToolRegistry, index: number, count: number) => void;
const needing =
  (dependencies: (index: number, count: number) => readonly string[]): Way =>
  (registry, index, count) => {
    const options: RegisterOptions = { dependencies: dependencies(index, count) };
    registry.register(metadataOf(index), implementation, options);
  };
const ways: Readonly<Record<string, Way>> = {
  register: (registry, index) => registry.register(metadataOf(index), implementation),
  add: (registry, index) => registry.add(defineTool({ ...finished, subject: () => undefined, name: nameOf(index) })),
  'a chain, from its end': needing((index) => (index === 0 ? [] : [nameOf(index - 1)])),
  'a chain, from its beginning': needing((index) => [nameOf(index + 1)]),
  'all need one': needing((index) => (index === 0 ? [] : [nameOf(0)])),
  'one needs all, and they are a chain': needing((index, count) => {
    if (index === 0) return Array.from({ length: count - 1 }, (_, at) => nameOf(at + 1));
    return index === 1 ? [] : [nameOf(index - 1)];
  }),
  overwritten: (registry, index) => {
    registry.register(metadataOf(index), implementation);
    registry.register(metadataOf(index), implementation, { overwrite: true });
  },
};

for (const [name, way] of Object.entries(ways)) judge(name, way, true);
judge(
  'the control, which lists all at each',
  (registry, index) => {
    registry.register(metadataOf(index), implementation);
    registry.list();
  },
  false,
  TOOLS / 8,
);
use();

for (const fault of faults) console.error(`fault: ${fault}`);
console.log(faults.length === 0 ? 'ok' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

function judge(name: string, way: Way, linear: boolean, count = TOOLS): void {
  fill(way, count / 10); // warm
  const small = fill(way, count / 10).took;
  const { registry, took } = fill(way, count);
  const growth = took / small / 10;
  const isLinear = growth <= SLACK;
  console.log(`${name}: ${(took / count).toFixed(1)} us a tool, ${growth.toFixed(2)} of linear`);
  if (isLinear !== linear) faults.push(`${name} is ${isLinear ? 'linear' : 'not linear'}`);
  if (registry.page({ limit: 1 }).total !== count) faults.push(`${name} has lost tools`);
}

function fill(way: Way, count: number): { readonly registry: ToolRegistry; readonly took: number } {
  const registry = new ToolRegistry();
  const start = cpu();
  for (let index = 0; index < count; index++) way(registry, index, count);
  return { registry, took: cpu() - start };
}

function use(): void {
  const { registry } = fill(ways['register'] as Way, TOOLS);
  const start = cpu();
  const found = registry.search(`number${TOOLS - 1}`);
  const built = cpu() - start;
  if (found[0]?.name !== nameOf(TOOLS - 1)) faults.push('the search does not find the last tool');
  const after = cpu();
  registry.search(`number${TOOLS - 2}`);
  console.log(`first search ${(built / 1_000).toFixed(0)} ms, the next ${((cpu() - after) / 1_000).toFixed(2)} ms`);
  if (registry.list({ category: 'group-1' }).length !== TOOLS / 10) faults.push('the list by category is wrong');
  if (registry.page({ page: TOOLS / 100, limit: 100 }).items.at(-1)?.name !== nameOf(TOOLS - 1)) {
    faults.push('the last page is wrong');
  }
  const removing = cpu();
  for (let index = 0; index < TOOLS; index += 2) registry.unregister(nameOf(index));
  console.log(`unregister ${((cpu() - removing) / (TOOLS / 2)).toFixed(1)} us a tool`);
  if (registry.list().length !== TOOLS / 2) faults.push('half of the tools should be left');
  if (registry.search('weather', { limit: Infinity }).length !== TOOLS / 2)
    faults.push('the search finds what is gone');
}

/** Microseconds of all threads. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
