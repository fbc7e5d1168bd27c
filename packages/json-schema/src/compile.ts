import { arrayRules } from './array-rules.ts';
import { combiningRules } from './combining-rules.ts';
import { compose } from './compose.ts';
import { dynamicTarget, entering } from './dynamic-scope.ts';
import type { LinearPattern } from './linear-pattern.ts';
import type { AnySchema, Compiling, Node, Rule, Run, SchemaObject, Valid } from './node.ts';
import { numberRules } from './number-rules.ts';
import { objectRules } from './object-rules.ts';
import { referenceRules } from './reference-rules.ts';
import { type Resource, resolveReference, type SchemaDocument } from './resources.ts';
import { stringRules } from './string-rules.ts';
import { typesOf } from './type-names.ts';
import { unevaluatedRules } from './unevaluated-rules.ts';
import { valueRules } from './value-rules.ts';

const ANYTHING: Node = { valid: () => true, collect() {} };
const NOTHING: Node = { valid: () => false, collect: (_value, path, _run, found) => found.wrong(path, 'no value') };

type Maker = (schema: SchemaObject, compiling: Compiling) => Rule[];
/** Rule makers by keyword. */
const MAKERS: ReadonlyMap<string, Maker> = new Map([
  ...from(numberRules, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'),
  ...from(stringRules, 'minLength', 'maxLength', 'pattern', 'format'),
  ...from(valueRules, 'const', 'enum'),
  ...from(arrayRules, 'items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'),
  ...from(objectRules, 'properties', 'patternProperties', 'additionalProperties', 'required', 'propertyNames'),
  ...from(objectRules, 'minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas', 'dependencies'),
  ...from(referenceRules, '$ref', '$dynamicRef'),
  ...from(combiningRules, 'allOf', 'anyOf', 'oneOf', 'not', 'if'),
]);
/** Number of references after which a validation begins to cache results. */
const MANY_STEPS = 100_000;
const MOST_REMEMBERED = 100_000;
const DEFINITIONS = ['$defs', 'definitions'] as const;

function from(maker: Maker, ...keywords: readonly string[]): [string, Maker][] {
  return keywords.map((keyword) => [keyword, maker]);
}

/** Keywords that judge properties of the same value. */
const JUDGES = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies'];

/** Compiles inspected schemas to nodes, each once. */
export class Compiler implements Compiling {
  readonly #closing: boolean;
  readonly #document: SchemaDocument;
  readonly #nodes = new Map<SchemaObject, Node>();
  readonly #compiled = new Set<SchemaObject>();
  readonly #waiting: SchemaObject[] = [];
  readonly #asksTwice: boolean;
  readonly #isScoped: boolean;
  /** True when a validation must keep state. */
  readonly needsRun: boolean;

  /** `closing`: true when the root refuses properties that none of its keywords judges. */
  constructor(document: SchemaDocument, closing = false) {
    this.#closing = closing;
    const says = (keyword: string) => document.keywords.has(keyword);
    this.#document = document;
    this.#isScoped = says('$dynamicRef') && document.resources.size > 1;
    // The cached result of a branch would depend on its scope.
    this.#asksTwice = !this.#isScoped && (closing || says('unevaluatedProperties') || says('unevaluatedItems'));
    const isSteep = [...document.patterns.values()].some((pattern) => pattern && pattern.steepness > 0);
    this.needsRun = this.#asksTwice || isSteep || says('$ref') || says('$dynamicRef');
  }

  /** Compiles the root, and everything it refers to. */
  root(schema: AnySchema): Node {
    const node = this.child(this.#closing ? this.#closed(schema) : schema);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) this.child(next);
    return node;
  }

  child(schema: AnySchema): Node {
    if (typeof schema === 'boolean') return schema ? ANYTHING : NOTHING;
    const node = this.#nodeOf(schema);
    if (this.#compiled.has(schema)) return node;
    this.#compiled.add(schema);
    const { resource } = this.#document.places.get(schema)!; // every inspected schema has its place
    const rules = this.#rulesOf(schema);
    const composed = compose(typesOf(schema), rules);
    return Object.assign(node, this.#isScoped && resource.root === schema ? entering(resource, composed) : composed);
  }

  target(reference: string, from: SchemaObject): Node {
    const { resource: own } = this.#document.places.get(from)!; // as above
    const found = resolveReference(reference, own, this.#document);
    if (typeof found === 'string') throw new TypeError(found); // inspected
    const { schema, resource } = found;
    if (typeof schema === 'boolean') return this.child(schema);
    const node = this.#later(schema);
    return this.#isScoped && resource.root !== schema ? entering(resource, node) : node;
  }

  dynamicTarget(reference: string, from: SchemaObject): Node {
    const target = this.target(reference, from);
    const name = reference.split('#')[1] ?? '';
    const { resource } = this.#document.places.get(from)!; // as above
    const found = resolveReference(reference, resource, this.#document);
    if (!this.#isScoped || typeof found === 'string' || !found.resource.dynamicAnchors.has(name)) return target;
    const candidates = new Map<unknown, Node>();
    for (const one of this.#document.resources.values()) {
      const schema = one.dynamicAnchors.get(name);
      if (schema) candidates.set(one, this.#enteredLater(one, schema));
    }
    return dynamicTarget(candidates, target);
  }

  pattern(source: string): LinearPattern | undefined {
    return this.#document.patterns.get(source);
  }

  fallback(schema: SchemaObject): unknown {
    return this.#document.unfit.has(schema) ? undefined : schema['default'];
  }

  remembered(valid: Valid): Valid {
    return this.#asksTwice ? remembering(valid, (_run, value) => typeof value === 'object' && value !== null) : valid;
  }

  rememberedLate(valid: Valid): Valid {
    return this.#isScoped ? valid : remembering(valid, ({ steps }) => steps > MANY_STEPS);
  }

  /** A root of its own, as references to the root mean the open one. */
  #closed(schema: AnySchema): AnySchema {
    if (typeof schema === 'boolean') return schema;
    const isPlain = !JUDGES.some((keyword) => Object.hasOwn(schema, keyword));
    const closed = { ...schema, [isPlain ? 'additionalProperties' : 'unevaluatedProperties']: false };
    this.#document.places.set(closed, this.#document.places.get(schema)!); // every inspected schema has its place
    return closed;
  }

  #rulesOf(schema: SchemaObject): Rule[] {
    const makers = new Set<Maker>();
    for (const keyword in schema) {
      const maker = MAKERS.get(keyword);
      if (maker) makers.add(maker);
    }
    const rules: Rule[] = [];
    for (const maker of makers) rules.push(...maker(schema, this));
    for (const keyword of DEFINITIONS) {
      if (schema[keyword] === undefined) continue;
      for (const one of Object.values(schema[keyword] as Record<string, AnySchema>)) this.child(one);
    }
    if (schema['unevaluatedProperties'] === undefined && schema['unevaluatedItems'] === undefined) return rules;
    return [...rules, ...unevaluatedRules(schema, rules, this)];
  }

  #later(schema: SchemaObject): Node {
    if (!this.#compiled.has(schema)) this.#waiting.push(schema);
    return this.#nodeOf(schema);
  }

  #enteredLater(resource: Resource, schema: SchemaObject): Node {
    const node = this.#later(schema);
    return resource.root === schema ? node : entering(resource, node);
  }

  #nodeOf(schema: SchemaObject): Node {
    let node = this.#nodes.get(schema);
    if (!node) this.#nodes.set(schema, (node = { ...ANYTHING }));
    return node;
  }
}

/** Caches results when that is worth it. */
function remembering(valid: Valid, isWorth: (run: Run, value: unknown) => boolean): Valid {
  return (value, run) => {
    if (!isWorth(run, value)) return valid(value, run);
    let answers = run.memory.get(valid);
    if (!answers) run.memory.set(valid, (answers = new Map()));
    const known = answers.get(value);
    if (known !== undefined) return known;
    const answer = valid(value, run);
    if (answers.size === MOST_REMEMBERED) answers.clear();
    answers.set(value, answer);
    return answer;
  };
}
