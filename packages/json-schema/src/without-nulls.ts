import { isRecord } from '@x/errors';
import { equal } from './equal.ts';
import type { JsonSchema } from './schema.ts';

/**
 * Removes nulls of properties that are optional and not nullable: a service was asked to write them instead of leaving the property out.
 * `schema` is the original one, before that change. Nulls that the schema allows stay. References to other documents are not followed; the
 * value is not changed.
 */
export function withoutNulls(value: unknown, schema: JsonSchema): unknown {
  return new NullRemoval(schema).cleaned(value, [schema], 0);
}

type Node = Readonly<Record<string, unknown>>;

const UNIONS = ['anyOf', 'oneOf'];
/** Deeper values, which no reply has, stay as they are. */
const MAX_DEPTH = 500;

class NullRemoval {
  readonly #root: JsonSchema;
  /** Caches whether a value fits a node: otherwise nested unions would check again and again. */
  readonly #fits = new Map<unknown, Map<unknown, boolean>>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** Cleans a value that all `schemas` apply to. */
  cleaned(value: unknown, schemas: readonly unknown[], depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
    const seen = new Set<unknown>();
    const nodes = schemas.flatMap((schema) => this.#applied(value, schema, seen));
    if (nodes.length === 0) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.cleaned(item, itemsAt(nodes, index), depth + 1));
    const required = new Set(nodes.flatMap((node) => listOf(own(node, 'required'))));
    const entries: [string, unknown][] = [];
    for (const [name, property] of Object.entries(value)) {
      const inside = nodes.flatMap((node) => propertyOf(node, name));
      const stands = property !== null || required.has(name);
      if (
        stands ||
        !nodes.some((node) => isDeclared(node, name)) ||
        !inside.some((schema) => schema !== false && !this.#allowsNull(schema))
      ) {
        entries.push([name, this.cleaned(property, inside, depth + 1)]);
      }
    }
    return Object.fromEntries(entries);
  }

  /** The schema and all that apply through it at the same place; of a union, the first choice that fits. */
  #applied(value: object, schema: unknown, seen: Set<unknown>): Node[] {
    if (!isRecord(schema) || seen.has(schema)) return [];
    seen.add(schema);
    const nodes = [schema];
    for (const part of this.#joined(schema)) nodes.push(...this.#applied(value, part, seen));
    for (const union of UNIONS) {
      const choice = listOf(own(schema, union)).find((one) => this.#isFit(value, one, 0));
      if (choice !== undefined) nodes.push(...this.#applied(value, choice, seen));
    }
    return nodes;
  }

  /** Schemas that apply in addition to the node itself, without a choice. */
  #joined(node: Node): readonly unknown[] {
    const ref = own(node, '$ref');
    return [...(typeof ref === 'string' ? [this.#target(ref)] : []), ...listOf(own(node, 'allOf'))];
  }

  #target(ref: string): unknown {
    let found: unknown = ref.startsWith('#') ? this.#root : undefined;
    for (const step of unescaped(ref.slice(1)).split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
      found = (found as Node)[key]; // safe: an own key of an object
    }
    return found;
  }

  #allowsNull(schema: unknown, seen: Set<unknown> = new Set()): boolean {
    if (!isRecord(schema)) return schema !== false;
    if (seen.has(schema)) return true;
    seen.add(schema);
    if (!says(schema, null)) return false;
    const allows = (part: unknown) => this.#allowsNull(part, seen);
    return (
      this.#joined(schema).every(allows) &&
      UNIONS.every((union) => !Array.isArray(own(schema, union)) || listOf(schema[union]).some(allows))
    );
  }

  /**
   * True when a value has this shape, with nulls for absent properties: types, listed values, names of properties, not bounds or patterns.
   */
  #isFit(value: unknown, schema: unknown, depth: number): boolean {
    if (!isRecord(schema)) return schema !== false;
    if (depth > MAX_DEPTH) return true;
    if (typeof value !== 'object' || value === null) return this.#check(value, schema, depth);
    const known = this.#fits.get(schema) ?? new Map<unknown, boolean>();
    this.#fits.set(schema, known);
    const answer = known.get(value);
    if (answer !== undefined) return answer;
    known.set(value, true); // what asks for itself adds nothing
    const fits = this.#check(value, schema, depth);
    known.set(value, fits);
    return fits;
  }

  #check(value: unknown, node: Node, depth: number): boolean {
    const fits = (part: unknown) => this.#isFit(value, part, depth + 1);
    return (
      says(node, value) &&
      this.#joined(node).every(fits) &&
      UNIONS.every((union) => !Array.isArray(own(node, union)) || listOf(node[union]).some(fits)) &&
      (Array.isArray(value)
        ? value.every((item, index) => itemsAt([node], index).every((one) => this.#isFit(item, one, depth + 1)))
        : typeof value !== 'object' || value === null || this.#fitsProperties(value, node, depth))
    );
  }

  #fitsProperties(value: object, node: Node, depth: number): boolean {
    const required = new Set(listOf(own(node, 'required')));
    for (const name of required) if (!Object.hasOwn(value, String(name))) return false;
    return Object.entries(value).every(([name, property]) => {
      const schemas = propertyOf(node, name);
      const mayBeAbsent = property === null && !required.has(name) && isDeclared(node, name);
      if (mayBeAbsent && schemas.some((one) => one !== false)) return true;
      return schemas.every((one) => this.#isFit(property, one, depth + 1));
    });
  }
}

/** True when the node's own keywords about a single value accept it. */
function says(node: Node, value: unknown): boolean {
  const type = own(node, 'type');
  const types = typeof type === 'string' ? [type] : listOf(type);
  if (type !== undefined && !types.some((one) => isOf(value, one))) return false;
  if (Object.hasOwn(node, 'const') && !equal(node['const'], value)) return false;
  const values = own(node, 'enum');
  return !Array.isArray(values) || values.some((one) => equal(one, value));
}

function isOf(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (typeof value === 'number') return type === 'number' || (type === 'integer' && Number.isInteger(value));
  return typeof value === type;
}

function itemsAt(nodes: readonly Node[], index: number): unknown[] {
  return nodes.flatMap((node) => {
    const [items, prefix] = [own(node, 'items'), own(node, 'prefixItems')];
    const tuple = Array.isArray(prefix) ? prefix : Array.isArray(items) ? items : [];
    if (index < tuple.length) return [tuple[index] as unknown];
    return items === undefined || Array.isArray(items) ? [] : [items];
  });
}

/** True when the property is named: a null never removes an entry of a record. */
function isDeclared(node: Node, name: string): boolean {
  const properties = own(node, 'properties');
  return isRecord(properties) && Object.hasOwn(properties, name);
}

/** The schema of a property by its name, else that of all others. */
function propertyOf(node: Node, name: string): readonly unknown[] {
  const properties = own(node, 'properties');
  if (isRecord(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  const rest = own(node, 'additionalProperties');
  return rest === undefined ? [] : [rest];
}

function unescaped(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment; // an invalid escape
  }
}

function own(node: Node, keyword: string): unknown {
  return Object.hasOwn(node, keyword) ? node[keyword] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
