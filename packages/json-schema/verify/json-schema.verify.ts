// Random schemas of every keyword, and random values: the verdict must be ajv's (2020, strict schema, all errors, ajv-formats). What
// ajv compiles we compile; every refusal of a value tells a place that the value, or its owner, has. A value is never changed.
// Controls: validators that leave one keyword out must be caught.
import { isDeepStrictEqual } from 'node:util';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { jsonSchema } from '../src/index.ts';
import {
  pick,
  type Random,
  type RandomSchema,
  randomFrom,
  randomSchema,
  randomValue,
} from './support/random-schemas.ts';

const SCHEMAS = Number(process.env['SCHEMAS'] ?? 3_000);
const VALUES = 12;
const SEED = Number(process.env['SEED'] ?? 1);
const LEFT_OUT = ['minimum', 'maxLength', 'pattern', 'format', 'uniqueItems', 'contains', 'required', 'propertyNames'];
const MORE_LEFT_OUT = [
  'additionalProperties',
  'dependentRequired',
  'not',
  'oneOf',
  'unevaluatedProperties',
  'unevaluatedItems',
];

interface Judge {
  (value: unknown): boolean;
}
interface Counts {
  pairs: number;
  valid: number;
  refused: number;
  lenient: number;
  /** Schemas that refer to themselves without end, which ajv compiles and cannot run. */
  endless: number;
  differences: string[];
}

const ajv = new Ajv2020.default({
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  allErrors: true,
  ownProperties: true,
  // Its quotient of doubles is not exact; of the divisors here, this is.
  multipleOfPrecision: 10,
  allowMatchingProperties: true,
  // The schemas are judged by `jsonSchema`; what only the meta-schema refuses is in the tests.
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
});
addFormats.default(ajv);

function ajvJudge(schema: RandomSchema): Judge {
  const validate = ajv.compile(schema);
  if (typeof schema === 'object') ajv.removeSchema(schema);
  return (value) => validate(value);
}

function ourJudge(schema: RandomSchema): Judge {
  const compiled = jsonSchema(schema);
  return (value) => {
    const before = structuredClone(value);
    const checked = compiled.check(value);
    if (!isDeepStrictEqual(value, before)) throw new Error('the value was changed');
    if (checked.issues) {
      if (checked.issues.length === 0) throw new Error('refused without an issue');
      for (const { path } of checked.issues) if (!isPlace(path, value)) throw new Error(`${path} is no place`);
    } else if (checked.value !== value) throw new Error('a value without defaults was copied');
    return checked.issues === undefined;
  };
}

/** Whether the pointer leads to a value, or to one that its owner lacks. */
function isPlace(pointer: string, value: unknown): boolean {
  let at = value;
  for (const part of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return false;
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined;
  }
  return true;
}

/**
 * Where ajv takes more for judged than the specification: items that `contains` (10.3.1.3) does not fit, and what a branch has judged
 * that failed (7.7.1.2). Then it finds nothing unevaluated, and the whole may differ. The tests have these cases by hand.
 */
function isLenient(schema: RandomSchema): boolean {
  const text = JSON.stringify(schema);
  return /"unevaluated(?:Items|Properties)"/.test(text) && /"(?:contains|if|anyOf|oneOf|dependentSchemas)"/.test(text);
}

/** ajv takes names such as `toString` for judged where it looks for unevaluated ones. */
function hasPrototypeNames(schema: unknown, value: unknown): boolean {
  const text = JSON.stringify(schema);
  return text.includes('"unevaluatedProperties"') && /"(?:toString|constructor)"/.test(JSON.stringify(value));
}

function compare(random: Random, judgeOf: (schema: RandomSchema) => Judge, schemas: number, most = Infinity): Counts {
  const counts: Counts = { pairs: 0, valid: 0, refused: 0, lenient: 0, endless: 0, differences: [] };
  for (let made = 0; made < schemas && counts.differences.length < most; made++) {
    const schema = randomSchema(random, pick(random, [[], [], ['one'], ['one', 'two']]));
    let expected: Judge;
    try {
      expected = ajvJudge(schema);
    } catch {
      counts.refused++;
      continue;
    }
    const tell = (text: string) => {
      if (isLenient(schema)) counts.lenient++;
      else counts.differences.push(`${text}: ${JSON.stringify(schema)}`);
    };
    try {
      const ours = judgeOf(schema);
      for (let tried = 0; tried < VALUES; tried++) {
        const value = randomValue(random);
        if (!hasPrototypeNames(schema, value)) judgeBoth(expected, ours, value, counts, tell);
      }
    } catch (error) {
      const { message } = error as Error;
      if (/leads back to itself without end/.test(message)) counts.endless++;
      else tell(message);
    }
  }
  return counts;
}

function judgeBoth(expected: Judge, ours: Judge, value: unknown, counts: Counts, tell: (text: string) => void): void {
  let wanted: boolean;
  try {
    wanted = expected(value);
  } catch {
    return; // references that never end
  }
  counts.pairs++;
  if (wanted) counts.valid++;
  if (ours(value) !== wanted) tell(`${JSON.stringify(value)} is ${wanted ? 'valid' : 'invalid'}`);
}

/** The same schema without one keyword, at every depth. */
function without(schema: unknown, keyword: string): RandomSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === keyword ? undefined : value));
  return (text === undefined ? true : JSON.parse(text)) as RandomSchema;
}

const { pairs, valid, refused, lenient, endless, differences } = compare(randomFrom(SEED), ourJudge, SCHEMAS);
console.log(
  `${pairs} pairs of ${SCHEMAS} schemas, ${valid} valid; ajv refused ${refused} schemas, we ${endless} endless ones; ${differences.length} differences, ${lenient} where ajv is known to be lenient`,
);
for (const difference of differences.slice(0, 10)) console.log(`DIFFERENT ${difference.slice(0, 600)}`);
const uncaught = [...LEFT_OUT, ...MORE_LEFT_OUT].filter((keyword) => {
  const broken = compare(randomFrom(SEED), (schema) => ourJudge(without(schema, keyword)), 3_000, 1);
  return broken.differences.length === 0;
});
console.log(`${LEFT_OUT.length + MORE_LEFT_OUT.length} controls, uncaught: ${uncaught.join(', ') || 'none'}`);
const isFine =
  differences.length === 0 &&
  uncaught.length === 0 &&
  pairs >= 20_000 &&
  lenient < pairs / 200 &&
  endless < SCHEMAS / 25;
console.log(isFine ? 'ok' : 'FAILED');
process.exitCode = isFine ? 0 : 1;
