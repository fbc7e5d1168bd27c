import { isRecord } from '@x/errors';
import { inexpressible, keywordsOf, own, type SchemaNode } from './schema-node.ts';

/** The target of a `$ref`, and its name among the definitions that are sent. */
export interface Target {
  /** Empty for the root itself. */
  readonly name: string;
  readonly schema: unknown;
  /** JSON pointer into the original schema. */
  readonly pointer: string;
}

/** Resolves and names the references inside one schema. */
export class References {
  readonly #root: SchemaNode;
  readonly #targets = new Map<string, Target>();
  readonly #names = new Set<string>();

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  /** Follows a reference to a reference to its end. @throws ValidationError for a missing target */
  resolve(ref: unknown, from: string): Target {
    const seen = new Set<unknown>();
    for (let next = ref; ; ) {
      if (seen.has(next)) throw inexpressible(from, '$ref', 'refers to nothing but itself');
      seen.add(next);
      const target = this.#targetOf(next, from);
      const { schema } = target;
      if (!isRecord(schema) || own(schema, '$ref') === undefined || keywordsOf(schema).length > 1) return target;
      next = schema['$ref'];
    }
  }

  #targetOf(ref: unknown, from: string): Target {
    if (typeof ref !== 'string' || !ref.startsWith('#')) {
      throw inexpressible(from, '$ref', `refers to ${JSON.stringify(ref)}, outside of the schema; put it under $defs`);
    }
    const known = this.#targets.get(ref);
    if (known) return known;
    const pointer = decoded(ref.slice(1));
    const schema = pointer === undefined ? undefined : this.#at(pointer);
    if (pointer === undefined || schema === undefined) {
      throw inexpressible(from, '$ref', `refers to ${JSON.stringify(ref)}, which is not there`);
    }
    const target = { name: pointer === '' ? '' : this.#nameOf(pointer), schema, pointer };
    this.#targets.set(ref, target);
    return target;
  }

  #at(pointer: string): unknown {
    let value: unknown = this.#root;
    for (const step of pointer.split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[key]; // safe: an own key of an object
    }
    return value;
  }

  /** Its own name if possible, letters and digits only. */
  #nameOf(pointer: string): string {
    const plain = pointer.replace(/^\/(?:\$defs|definitions)\//, '').replaceAll(/[^\w.-]+/g, '_');
    let name = plain;
    for (let number = 2; name === '' || name === '__proto__' || this.#names.has(name); number++)
      name = `${plain}_${number}`;
    this.#names.add(name);
    return name;
  }
}

/** The pointer of a fragment; undefined for a name, which is not a pointer. */
function decoded(fragment: string): string | undefined {
  try {
    const pointer = decodeURIComponent(fragment);
    return pointer === '' || pointer.startsWith('/') ? pointer : undefined;
  } catch {
    return undefined; // an invalid escape
  }
}
