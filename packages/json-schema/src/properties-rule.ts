import { pointerPart } from '@x/errors';
import type { Found } from './found.ts';
import type { LinearPattern } from './linear-pattern.ts';
import type { AnySchema, Collect, Compiling, Fill, Node, Rule, Run, SchemaObject, Valid } from './node.ts';
import { put } from './plain-copy.ts';
import { matches } from './string-rules.ts';
import { typeNames } from './type-names.ts';

interface Property {
  readonly name: string;
  /** Its name as a part of a JSON pointer, with the slash. */
  readonly part: string;
  /** Absent for one that is only required. */
  readonly node: Node | undefined;
  readonly required: boolean;
  readonly expected: string;
  /** The default of an absent one. */
  readonly fallback: unknown;
}

const ANY: LinearPattern = { steepness: 0, test: () => true };

interface Shape {
  readonly properties: readonly Property[];
  readonly table: ReadonlyMap<string, Property>;
  readonly patterns: readonly { readonly pattern: LinearPattern; readonly node: Node }[];
  /** For names that match neither a property nor a pattern. */
  readonly others: Node | undefined;
  /** True when such names are refused. */
  readonly closed: boolean;
}

/** `properties`, `required`, `patternProperties` and `additionalProperties`, in one walk over the value. */
export function propertiesRule(schema: SchemaObject, compiling: Compiling): Rule[] {
  const shape = shapeOf(schema, compiling);
  const { properties, patterns, others } = shape;
  if (properties.length === 0 && patterns.length === 0 && others === undefined) return [];
  return [
    {
      kind: 'object',
      valid: patterns.length === 0 ? knownNames(shape) : anyNames(shape),
      collect: collectOf(shape),
      mark(value, run, seen) {
        if (typeof value !== 'object' || value === null) return;
        if (others) seen.allProperties = true;
        for (const name of Object.keys(value)) {
          if (shape.table.get(name)?.node || patterns.some(({ pattern }) => matches(pattern, name, run) === true)) {
            seen.properties.add(name);
          }
        }
      },
      fill: fillProperties(shape),
    },
  ];
}

function shapeOf(schema: SchemaObject, compiling: Compiling): Shape {
  const { additionalProperties } = schema;
  const declared = new Map(Object.entries((schema['properties'] ?? {}) as Record<string, AnySchema>));
  const required = new Set((schema['required'] ?? []) as string[]);
  const properties = [...new Set([...declared.keys(), ...required])].map((name): Property => {
    const property = declared.get(name);
    return {
      name,
      part: `/${pointerPart(name)}`,
      node: property === undefined ? undefined : compiling.child(property),
      required: required.has(name),
      expected: typeNames(property) ?? 'a value',
      fallback: typeof property === 'object' ? compiling.fallback(property) : undefined,
    };
  });
  return {
    properties,
    table: new Map(properties.map((property) => [property.name, property])),
    patterns: Object.entries((schema['patternProperties'] ?? {}) as Record<string, AnySchema>).map(([source, one]) => {
      const pattern = compiling.pattern(source);
      // A pattern that cannot be evaluated may match any name.
      return pattern ? { pattern, node: compiling.child(one) } : { pattern: ANY, node: compiling.child(true) };
    }),
    others: additionalProperties === undefined ? undefined : compiling.child(additionalProperties as AnySchema),
    closed: additionalProperties === false,
  };
}

const hasOwnProperty = Object.prototype.hasOwnProperty;

/** Tries the next declared property before the table: most callers name properties in the declared order. */
function knownNames({ properties, others }: Shape): Valid {
  const names = properties.map(({ name }) => name);
  const valids = properties.map(({ node }) => (node ?? others)?.valid);
  const needed = properties.map(({ required }) => (required ? 1 : 0));
  const places = new Map(names.map((name, at) => [name, at]));
  const requiredCount = properties.filter(({ required }) => required).length;
  const valid = others?.valid;
  return (value, run) => {
    let missing = requiredCount;
    let next = 0;
    const record = value as Record<string, unknown>;
    for (const name in record) {
      if (!hasOwnProperty.call(record, name)) continue;
      const place = name === names[next] ? next : (places.get(name) ?? -1);
      const item = record[name];
      if (place < 0) {
        if (valid !== undefined && !valid(item, run)) return false;
        continue;
      }
      next = place + 1;
      if (item === undefined) continue;
      const check = valids[place];
      if (check !== undefined && !check(item, run)) return false;
      missing -= needed[place]!; // as long as names
    }
    return missing === 0;
  };
}

function anyNames({ properties, table, patterns, others }: Shape): Valid {
  const required = properties.filter((property) => property.required);
  return (value, run) => {
    const record = value as Record<string, unknown>;
    for (const { name } of required) if (!Object.hasOwn(record, name) || record[name] === undefined) return false;
    for (const name of Object.keys(record)) {
      const item = record[name];
      const own = table.get(name)?.node;
      if (own && item !== undefined && !own.valid(item, run)) return false;
      let known = own !== undefined;
      for (const { pattern, node } of patterns) {
        const answer = matches(pattern, name, run);
        if (typeof answer === 'string') return false;
        if (!answer) continue;
        known = true;
        if (!node.valid(item, run)) return false;
      }
      if (!known && others && !others.valid(item, run)) return false;
    }
    return true;
  };
}

function collectOf(shape: Shape): Collect {
  const { properties, patterns, others } = shape;
  return (value, path, run, found) => {
    const record = value as Record<string, unknown>;
    for (const property of properties) {
      const { name, node } = property;
      const given = hasOwnProperty.call(record, name) ? record[name] : undefined;
      if (given === undefined) {
        if (property.required) found.missing(path, name, property.expected);
        // Most properties are valid, and checking that is faster.
      } else if (node && !node.valid(given, run)) node.collect(given, path + property.part, run, found);
    }
    if (!others && patterns.length === 0) return;
    for (const name in record) {
      if (found.full) return;
      if (isSettled(shape, name) || !hasOwnProperty.call(record, name)) continue;
      collectOther(shape, record, name, { path, run, found });
    }
  };
}

function isSettled({ table, patterns }: Shape, name: string): boolean {
  return patterns.length === 0 && table.get(name)?.node !== undefined;
}

interface Collecting {
  readonly path: string;
  readonly run: Run;
  readonly found: Found;
}

/** Collects the faults of a property by patterns and `additionalProperties`. */
function collectOther(shape: Shape, record: Record<string, unknown>, name: string, at: Collecting): void {
  const { table, patterns, others } = shape;
  let known = table.get(name)?.node !== undefined;
  const { path, run, found } = at;
  const place = `${path}/${pointerPart(name)}`;
  for (const { pattern, node } of patterns) {
    const answer = matches(pattern, name, run);
    if (answer === false) continue;
    known = true;
    if (answer === true) node.collect(record[name], place, run, found);
    else found.wrong(place, 'a shorter name', answer);
  }
  if (known || !others) return;
  if (shape.closed) found.unknown(path, name, [...table.keys()]);
  else others.collect(record[name], place, run, found);
}

function fillProperties({ properties, table, patterns, others }: Shape): Fill {
  const defaults = properties.filter(({ fallback }) => fallback !== undefined);
  return (value, run) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const record = value as Record<string, unknown>;
    let copy: Record<string, unknown> | undefined;
    for (const { name, fallback } of defaults) {
      if (Object.hasOwn(record, name) && record[name] !== undefined) continue;
      copy ??= { ...record };
      put(copy, name, typeof fallback === 'object' ? structuredClone(fallback) : fallback);
    }
    for (const name of Object.keys(copy ?? record)) {
      const item = (copy ?? record)[name];
      const nodes = [
        table.get(name)?.node,
        ...patterns.map((one) => (matches(one.pattern, name, run) ? one.node : undefined)),
      ];
      let filled = item;
      for (const node of nodes) if (node?.fill) filled = node.fill(filled, run);
      if (others?.fill && nodes.every((node) => node === undefined)) filled = others.fill(filled, run);
      if (filled === item) continue;
      copy ??= { ...record };
      put(copy, name, filled);
    }
    return copy ?? value;
  };
}
