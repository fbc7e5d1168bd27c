// What a registry costs over the bare implementation, and per registered tool:
// `node --expose-gc benchmarks/registry.mjs` after `pnpm build`.
import { parseArgs } from 'node:util';
import { defineTool, functionTool, parametersSchema, ToolRegistry, toFunctionDefinition } from '@x/agent-sdk';
import { z } from 'zod';

const { values: options } = parseArgs({
  options: {
    tools: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '100000' },
  },
});
const tools = Number(options.tools);
const rounds = Number(options.rounds);
const calls = Number(options.calls);

const parameters = [
  { name: 'city', type: 'string', description: 'where', required: true },
  { name: 'days', type: 'number', description: 'how many', minimum: 1, maximum: 14, default: 3 },
  {
    name: 'unit',
    type: 'string',
    description: 'of the temperatures',
    enum: ['celsius', 'fahrenheit'],
    default: 'celsius',
  },
  { name: 'hourly', type: 'boolean', description: 'each hour', default: false },
];
const metadataOf = (name) => ({
  name,
  description: `Tells the weather, as station ${name} sees it`,
  parameters,
  tags: ['weather', 'forecast'],
  category: 'science',
});
const implementation = async ({ city, days }) => city.length + days;
const input = { city: 'Turin', days: 5, unit: 'celsius', hourly: true };
const inputSchema = z.object({
  city: z.string(),
  days: z.number().min(1).max(14).default(3),
  unit: z.enum(['celsius', 'fahrenheit']).default('celsius'),
  hourly: z.boolean().default(false),
});

const registry = new ToolRegistry();
registry.register(metadataOf('weather'), implementation);
registry.add(defineTool({ name: 'zod', description: 'The same', inputSchema, execute: implementation }));
const { signal } = new AbortController();
const { parse } = parametersSchema(parameters);

const work = {
  bare: () => implementation(input),
  'execute, parameters': () => registry.execute('weather', input),
  'execute with a signal': () => registry.execute('weather', input, { signal }),
  'function call, JSON text': () => registry.callFunction({ name: 'weather', arguments: TEXT }),
  'bare with zod': () => implementation(inputSchema.parse(input)),
  'execute, zod tool': () => registry.execute('zod', input),
};
const TEXT = JSON.stringify(input);

const expected = await work.bare();
for (const [name, run] of Object.entries(work)) {
  if ((await run()) !== expected) throw new Error(`${name} does other work`);
}

console.log(`## One call (${rounds} rounds of ${calls}, interleaved; medians)\n`);
const perCall = Object.fromEntries(Object.keys(work).map((name) => [name, []]));
const checked = [];
for (let round = -2; round < rounds; round++) {
  for (const [name, run] of Object.entries(work)) {
    const took = await timed(run, calls);
    if (round >= 0) perCall[name].push(took);
  }
  const start = cpu();
  for (let call = 0; call < calls; call++) parse(input);
  if (round >= 0) checked.push((cpu() - start) / calls);
}
const bare = median(perCall.bare);
console.log('| call | CPU, us | over bare, us | by bare |\n| --- | --: | --: | --: |');
for (const [name, all] of Object.entries(perCall)) {
  const took = median(all);
  console.log(`| ${name} | ${took.toFixed(3)} | ${(took - bare).toFixed(3)} | ${(took / bare).toFixed(1)} |`);
}
console.log(`\nThe check of the parameters alone is ${median(checked).toFixed(3)} us of it.`);

console.log(
  `\n## ${tools} tools\n\n| registered by | CPU, us each | of the second half by the first | heap, kB each |\n| --- | --: | --: | --: |`,
);
const shared = defineTool({ name: 'zod', description: 'The same', inputSchema, execute: implementation });
const definition = toFunctionDefinition(registry.tools()[0]);
const ways = {
  register: (one, name) => one.register(metadataOf(name), implementation),
  'register, with a dependency': (one, name, index) =>
    one.register(metadataOf(name), implementation, index > 0 ? { dependencies: [`t${index - 1}`] } : {}),
  'add, one schema': (one, name) => one.add({ ...shared, name }),
  'add, a JSON Schema each': (one, name) =>
    one.add(functionTool({ type: 'function', function: { ...definition.function, name } }, implementation)),
};
for (const [name, register] of Object.entries(ways)) await fill(name, register);

async function fill(name, register) {
  for (let index = 0, warm = new ToolRegistry(); index < 2_000; index++) register(warm, `t${index}`, index);
  const before = await heapUsed();
  const one = new ToolRegistry();
  const [first, second] = [half(one, register, 0, tools / 2), half(one, register, tools / 2, tools)];
  const after = await heapUsed();
  const heap = after ? ((after - before) / tools / 1_024).toFixed(2) : 'run with --expose-gc';
  console.log(`| ${name} | ${((first + second) / tools).toFixed(2)} | ${(second / first).toFixed(2)} | ${heap} |`);
  if (one.page({ limit: 1 }).total !== tools) throw new Error(`${name} lost tools`);
}

async function timed(run, times) {
  const start = cpu();
  for (let call = 0; call < times; call++) await run();
  return (cpu() - start) / times;
}

function half(one, register, from, to) {
  const start = cpu();
  for (let index = from; index < to; index++) register(one, `t${index}`, index);
  return cpu() - start;
}

/** Bytes of what is alive; nothing where it cannot be known. */
async function heapUsed() {
  for (let time = 0; time < 3; time++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return globalThis.gc ? process.memoryUsage().heapUsed : undefined;
}

/** Microseconds of all threads, garbage collection included. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
