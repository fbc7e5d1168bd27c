import type { JsonSchema } from '@x/core';
import { isRecord } from '@x/errors';
import { conjunction } from './conjunction.ts';
import type { Dialect } from './dialect.ts';
import { literals } from './literals.ts';
import { type Edge, settleRecursion } from './recursion.ts';
import { References, type Target } from './references.ts';
import type { Place, Rewriter } from './rewriter.ts';
import {
  ANNOTATIONS,
  below,
  described,
  inexpressible,
  keywordsOf,
  listOf,
  own,
  refusesAll,
  type SchemaNode,
  saysNothing,
  typesOf,
} from './schema-node.ts';
import { isCompound, typedNode, typesMeant } from './typed-node.ts';

const MAX_PARTS = 20_000;
const MAX_DEPTH = 100;

/**
 * Converts a schema to a service's subset of JSON Schema. The original is not changed. @throws ValidationError for a schema that the subset
 * cannot express
 */
export function rewriteSchema(schema: JsonSchema, dialect: Dialect): JsonSchema {
  return new SchemaRewriter(schema, dialect).rewrite();
}

class SchemaRewriter implements Rewriter {
  readonly dialect: Dialect;
  readonly references: References;
  readonly #root: SchemaNode;
  readonly #asked = new Set<string>();
  readonly #definitions: Target[] = [];
  readonly #edges: Edge[] = [];
  #parts = 0;

  constructor(root: SchemaNode, dialect: Dialect) {
    this.#root = root;
    this.dialect = dialect;
    this.references = new References(root);
  }

  rewrite(): SchemaNode {
    const sent = this.node(this.#inlinedRoot(), { pointer: '', depth: 0, definition: '' });
    const definitions: [string, SchemaNode][] = [];
    // the list grows while its parts are rewritten
    for (const { name, schema, pointer } of this.#definitions) {
      definitions.push([name, this.node(schema, { pointer, depth: 0, definition: name })]);
    }
    settleRecursion(this.#edges, this.dialect);
    return definitions.length === 0 ? sent : { ...sent, $defs: Object.fromEntries(definitions) };
  }

  /** Converts one part of the schema. */
  node(schema: unknown, place: Place): SchemaNode {
    this.#count(place);
    if (refusesAll(schema)) throw inexpressible(place.pointer, 'not', 'accepts no value at all; leave it out');
    if (schema !== true && !isRecord(schema))
      throw inexpressible(place.pointer, 'schema', 'is neither an object nor a boolean');
    const flat = this.#flat(schema === true ? {} : schema, place);
    if (own(flat, '$ref') !== undefined) return this.#reference(flat, place);
    for (const keyword of ['anyOf', 'oneOf']) {
      if (Array.isArray(own(flat, keyword))) return this.#union(flat, keyword, place);
    }
    if (Object.hasOwn(flat, 'const') || Array.isArray(own(flat, 'enum')))
      return literals(flat, this.dialect, place.pointer);
    const types = typesMeant(flat);
    if (types && types.length > 1 && types.some(isCompound)) {
      return this.#union({ ...flat, anyOf: types.map((type) => ({ type })) }, 'anyOf', place);
    }
    return typedNode(flat, types, place, this);
  }

  refusal(place: Place, keyword: string, reason: string): Error {
    const { service, advice } = this.dialect;
    return inexpressible(place.pointer, keyword, `${reason}, which ${service} cannot express; ${advice}`);
  }

  #count({ pointer, depth }: Place): void {
    if (++this.#parts > MAX_PARTS)
      throw inexpressible(pointer, 'schema', `is too large: it has more than ${MAX_PARTS} parts`);
    if (depth > MAX_DEPTH) throw inexpressible(pointer, 'schema', `is more than ${MAX_DEPTH} levels deep`);
  }

  /** The root without a reference, which services refuse there. */
  #inlinedRoot(): SchemaNode {
    const { $ref, ...rest } = this.#root;
    if ($ref === undefined || constraintsOf(rest).length > 0) return this.#root;
    const { schema } = this.references.resolve($ref, '');
    return isRecord(schema) ? { ...schema, ...rest } : { ...rest, allOf: [schema] };
  }

  /** Resolves `allOf`, and keeps a reference only without constraints next to it. */
  #flat(node: SchemaNode, place: Place): SchemaNode {
    const { allOf, $ref, ...rest } = node;
    const reference = $ref === undefined ? [] : [{ $ref }];
    const parts = [...reference, ...listOf(allOf).filter((part) => !saysNothing(part))];
    if (parts.length === 0) return rest;
    const [only] = parts;
    if (parts.length === 1 && constraintsOf(rest).length === 0) {
      if ($ref !== undefined) return { ...rest, $ref };
      const part = this.#flatPart(only, { ...place, depth: place.depth + 1 });
      return { ...part, ...rest };
    }
    return this.#joined(rest, parts, place);
  }

  #flatPart(part: unknown, place: Place): SchemaNode {
    this.#count(place);
    if (part === true) return {}; // as a definition may be
    if (!isRecord(part) || refusesAll(part)) throw inexpressible(place.pointer, 'allOf', 'accepts no value at all');
    return this.#flat(part, place);
  }

  #joined(rest: SchemaNode, parts: readonly unknown[], place: Place): SchemaNode {
    const deeper = { ...place, depth: place.depth + 1 };
    const unjoined: unknown[] = [];
    let joined = rest;
    for (const part of parts) {
      let flat = this.#flatPart(part, deeper);
      for (let depth = deeper.depth; own(flat, '$ref') !== undefined; depth++) {
        const { $ref, ...beside } = flat;
        flat = {
          ...this.#flatPart(this.references.resolve($ref, place.pointer).schema, { ...place, depth }),
          ...beside,
        };
      }
      const both = conjunction(joined, flat);
      if (typeof both !== 'string') joined = both;
      else if (this.dialect.exact) throw this.refusal(place, 'allOf', `joins schemas that differ in ${both}`);
      else unjoined.push(part);
    }
    return unjoined.length === 0 ? joined : { ...joined, allOf: unjoined };
  }

  #reference(node: SchemaNode, place: Place): SchemaNode {
    const target = this.references.resolve(node['$ref'], place.pointer);
    const { name, schema } = target;
    if (schema === true || refusesAll(schema)) return this.node(schema, { ...place, depth: place.depth + 1 });
    if (name !== '' && !this.#asked.has(name)) {
      this.#asked.add(name);
      this.#definitions.push(target);
    }
    this.#edges.push({ from: place.definition, to: name, pointer: place.pointer, property: place.property });
    const reference = { $ref: name === '' ? '#' : `#/$defs/${name}` };
    const { description } = described(node);
    // services accept nothing next to a reference
    return description === undefined ? reference : { description, anyOf: [reference] };
  }

  /** Joins the constraints next to the choices with each choice. `oneOf` becomes `anyOf`, which accepts as much and more. */
  #union(node: SchemaNode, keyword: string, place: Place): SchemaNode {
    const { [keyword]: list, ...rest } = node;
    const at = (index: number) => ({ ...place, pointer: below(place.pointer, keyword, index), depth: place.depth + 1 });
    const choices = listOf(list).flatMap((choice, index) => (refusesAll(choice) ? [] : [{ choice, place: at(index) }]));
    if (choices.length === 0) throw inexpressible(place.pointer, keyword, 'accepts no value at all');
    const base = Object.fromEntries(constraintsOf(rest).map((name) => [name, rest[name]]));
    const implied = choices.every(({ choice }) => this.#implies(choice, base, place));
    const beside = implied ? [] : [base];
    const [first] = choices;
    if (choices.length === 1 && first)
      return this.node({ ...described(node), allOf: [...beside, first.choice] }, first.place);
    const anyOf = choices.map(({ choice, place: inside }) =>
      this.node(implied ? choice : { allOf: [base, choice] }, inside),
    );
    return { ...described(node), anyOf };
  }

  /** True when a choice already contains the constraint next to it: a type, most often. */
  #implies(choice: unknown, base: SchemaNode, place: Place): boolean {
    const keywords = keywordsOf(base);
    if (keywords.length === 0) return true;
    if (keywords.length > 1 || keywords[0] !== 'type' || !isRecord(choice)) return false;
    const target =
      own(choice, '$ref') === undefined ? choice : this.references.resolve(choice['$ref'], place.pointer).schema;
    const types = isRecord(target) ? typesOf(target) : undefined;
    return types?.every((type) => typesOf(base)?.includes(type)) === true;
  }
}

function constraintsOf(node: SchemaNode): readonly string[] {
  return keywordsOf(node).filter((keyword) => !ANNOTATIONS.has(keyword));
}
