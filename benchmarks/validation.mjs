/**
 * What checking the input of a tool costs, against compiled ajv and zod in the same round: `node benchmarks/validation.mjs`.
 *
 *   node [--conditions=@x/source] benchmarks/validation.mjs [--rounds 7] [--calls 200000]
 *
 * CPU time, interleaved, medians. Two shapes: five flat properties, and the one of the shared baseline with a list and an object in it.
 */
import { parseArgs } from 'node:util';
import { defineTool } from '@x/core';
import { jsonSchema } from '@x/json-schema';
import { parametersSchema } from '@x/registry';
import Ajv2020 from 'ajv/dist/2020.js';
import { z } from 'zod';
import { median } from './lib/statistics.mjs';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, calls: { type: 'string', default: '200000' } },
});
const [rounds, calls] = [Number(options.rounds), Number(options.calls)];

const modes = ['read', 'write', 'append'];
const flat = () => ({
  path: z.string().min(1),
  mode: z.enum(modes),
  limit: z.number().min(1).max(10_000),
  recursive: z.boolean(),
  depth: z.number(),
});
const SHAPES = {
  flat: {
    zod: () => z.strictObject(flat()),
    input: (at) => ({ path: `/src/${at}`, mode: modes[at % 3], limit: 1 + at, recursive: at % 2 === 0, depth: at }),
  },
  nested: {
    zod: () =>
      z.strictObject({
        ...flat(),
        globs: z.array(z.string()).optional(),
        range: z.strictObject({ from: z.number(), to: z.number() }).optional(),
      }),
    input: (at) => ({ ...SHAPES.flat.input(at), globs: ['*.ts', '*.md'], range: { from: at, to: at + 10 } }),
  },
};
const parameters = [
  { name: 'path', type: 'string', description: '', required: true, pattern: '^.+$' },
  { name: 'mode', type: 'string', description: '', required: true, enum: modes },
  { name: 'limit', type: 'number', description: '', required: true, minimum: 1, maximum: 10_000 },
  { name: 'recursive', type: 'boolean', description: '', required: true },
  { name: 'depth', type: 'number', description: '', required: true },
];

const ajv = new Ajv2020.default({ allErrors: true });
const rows = [];
for (const [name, shape] of Object.entries(SHAPES)) measure(name, shape);
setUp();
console.log('| what | ours | ajv | zod | ours / ajv | ours / zod |\n| --- | ---: | ---: | ---: | ---: | ---: |');
for (const { what, unit, ours, ajv: theirs, zod } of rows) {
  const ratios = [theirs, zod].map((one) => (one === undefined ? '' : (ours / one).toFixed(2)));
  const cells = [ours, theirs, zod].map((one) =>
    one === undefined ? '' : `${one.toFixed(unit === 'us' ? 1 : 0)} ${unit}`,
  );
  console.log(`| ${[what, ...cells, ...ratios].join(' | ')} |`);
}

function measure(name, { zod: makeZod, input }) {
  const zod = makeZod();
  const schema = jsonOf(zod);
  const ours = jsonSchema(schema);
  const compiled = ajv.compile(schema);
  const tool = defineTool({ name: 'Bench', description: 'd', inputSchema: ours, execute: async () => '' });
  const good = Array.from({ length: 64 }, (_, at) => input(at));
  const bad = good.map((one, at) => ({ ...one, limit: at % 2 ? 'x' : -1 }));
  const faults = (value) =>
    compiled(value) ? 0 : compiled.errors.map(({ instancePath, message }) => instancePath + message);
  compare(`valid, ${name}`, good, {
    ours: (value) => ours.check(value).issues === undefined,
    ajv: compiled,
    zod: (value) => zod.safeParse(value).success,
  });
  compare(`rejected with path and message, ${name}`, bad, {
    ours: (value) => ours.check(value).issues.length > 0,
    ajv: (value) => faults(value).length > 0,
    zod: (value) => zod.safeParse(value).error.issues.length > 0,
  });
  compare(`valid, ${name}, as a tool's parse`, good, {
    ours: (value) => tool.inputSchema.parse(value) !== undefined,
    ajv: compiled,
    zod: (value) => zod.parse(value) !== undefined,
  });
  if (name !== 'flat') return;
  const own = parametersSchema(parameters);
  compare('valid, flat, as a list of parameters (a copy)', good, { ours: (value) => own.parse(value) !== undefined });
}

function compare(what, inputs, engines) {
  const times = Object.fromEntries(Object.keys(engines).map((engine) => [engine, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [engine, accepts] of Object.entries(engines)) {
      const ns = nanoseconds(() => {
        let sum = 0;
        for (let call = 0; call < calls; call++) if (accepts(inputs[call & 63])) sum++;
        if (sum !== calls) throw new Error(`${what}: ${engine} answered otherwise`);
      }, calls);
      if (round >= 0) times[engine].push(ns);
    }
  }
  rows.push({
    what,
    unit: 'ns',
    ...Object.fromEntries(Object.entries(times).map(([engine, all]) => [engine, median(all)])),
  });
}

/** From the schema, or for zod from its description, to the first answer. */
function setUp() {
  const schema = jsonOf(SHAPES.flat.zod());
  const value = SHAPES.flat.input(1);
  const many = 300;
  const times = { ours: [], ajv: [], zod: [] };
  const each = {
    ours: () => jsonSchema(schema).check(value),
    ajv: (at) => ajv.compile({ ...schema, $id: `urn:s:${at}` })(value),
    zod: () => SHAPES.flat.zod().safeParse(value),
  };
  for (let round = -1; round < rounds; round++) {
    for (const [engine, make] of Object.entries(each)) {
      const ns = nanoseconds(() => {
        for (let at = 0; at < many; at++) make(`${round}-${at}`);
      }, many);
      if (round >= 0) times[engine].push(ns / 1_000);
    }
  }
  const medians = Object.fromEntries(Object.entries(times).map(([engine, all]) => [engine, median(all)]));
  rows.push({ what: 'set-up and first call, flat', unit: 'us', ...medians });
}

function jsonOf(schema) {
  const { $schema: _, ...json } = z.toJSONSchema(schema);
  return json;
}

function nanoseconds(work, count) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / count;
}
