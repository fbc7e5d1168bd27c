import { isRecord } from '@x/errors';
import { below, inexpressible, listOf, own, type SchemaNode } from './schema-node.ts';

const MAX_PROPERTIES = 5_000;
const MAX_LEVELS = 10;
const MAX_VALUES = 1_000;
/** Characters of all names and listed values. */
const MAX_CHARACTERS = 120_000;
/** An enum with more values than this has a limit of characters. */
const LARGE_ENUM = 250;
const MAX_ENUM_CHARACTERS = 15_000;

/** Checks the limits in OpenAI's guide, for a converted schema. @throws ValidationError */
export function checkOpenaiLimits(sent: SchemaNode): void {
  const totals = { properties: 0, values: 0, characters: 0 };
  count(sent, { pointer: '', level: 0 }, totals);
  for (const [name, definition] of Object.entries(own(sent, '$defs') ?? {})) {
    totals.characters += name.length;
    count(definition, { pointer: below('', '$defs', name), level: 0 }, totals);
  }
}

interface Totals {
  properties: number;
  values: number;
  characters: number;
}

function count(node: unknown, { pointer, level }: { pointer: string; level: number }, totals: Totals): void {
  if (!isRecord(node)) return;
  const listed = [...listOf(own(node, 'enum')), ...(Object.hasOwn(node, 'const') ? [node['const']] : [])];
  const characters = listed.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  totals.values += listOf(own(node, 'enum')).length;
  totals.characters += characters;
  const inside = own(node, 'type') === 'object' ? level + 1 : level;
  if (listed.length > LARGE_ENUM && characters > MAX_ENUM_CHARACTERS) {
    throw tooLarge(pointer, 'enum', `${MAX_ENUM_CHARACTERS} characters in one list`);
  }
  if (totals.values > MAX_VALUES) throw tooLarge(pointer, 'enum', `${MAX_VALUES} values in all lists`);
  if (inside > MAX_LEVELS + 1) throw tooLarge(pointer, 'properties', `${MAX_LEVELS} objects inside each other`);
  for (const [name, property] of Object.entries(own(node, 'properties') ?? {})) {
    totals.characters += name.length;
    if (++totals.properties > MAX_PROPERTIES)
      throw tooLarge(pointer, 'properties', `${MAX_PROPERTIES} properties in all`);
    count(property, { pointer: below(pointer, 'properties', name), level: inside }, totals);
  }
  if (totals.characters > MAX_CHARACTERS) {
    throw tooLarge(pointer, 'properties', `${MAX_CHARACTERS} characters of names and values in all`);
  }
  count(own(node, 'items'), { pointer: below(pointer, 'items'), level: inside }, totals);
  for (const [index, choice] of listOf(own(node, 'anyOf')).entries()) {
    count(choice, { pointer: below(pointer, 'anyOf', index), level: inside }, totals);
  }
}

function tooLarge(pointer: string, keyword: string, limit: string): Error {
  return inexpressible(pointer, keyword, `is too large: OpenAI strict mode takes at most ${limit}`);
}
