import type { AnySchema, SchemaObject } from './node.ts';
import { resolveReference, type SchemaDocument } from './resources.ts';

/**
 * Finds `$ref`s that return to their own schema with the same value, by way of `$ref`, `allOf`, `not` and `if`: their validation would not
 * end (core 9.4.1). Returns the pointer of one keyword for each such cycle. Every reference must have a target.
 */
export function endlessReferences(document: SchemaDocument): string[] {
  const found: string[] = [];
  const states = new Map<SchemaObject, 'open' | 'done'>();
  for (const start of document.places.keys()) {
    // An explicit stack, as definitions may refer to each other without end.
    const stack: { readonly schema: SchemaObject; readonly next: AnySchema[] }[] = [];
    const enter = (schema: SchemaObject): void => {
      states.set(schema, 'open');
      stack.push({ schema, next: askedWith(schema, document) });
    };
    if (!states.has(start)) enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.next.pop();
      if (next === undefined) {
        states.set(top.schema, 'done');
        stack.pop();
      } else if (typeof next === 'object' && !states.has(next)) enter(next);
      else if (typeof next === 'object' && states.get(next) === 'open') {
        found.push(`${document.places.get(top.schema)!.pointer}/$ref`); // only references lead back
      }
    }
  }
  return found;
}

/** The schemas that are always applied to the same value as this one. */
function askedWith(schema: SchemaObject, document: SchemaDocument): AnySchema[] {
  const { $ref: reference, allOf = [], not = true, if: condition = true } = schema as Asking;
  const asked: AnySchema[] = [...allOf, not, condition];
  if (reference === undefined) return asked;
  const target = resolveReference(reference, document.places.get(schema)!.resource, document); // it is in the document
  return typeof target === 'string' ? asked : [...asked, target.schema];
}

interface Asking {
  readonly $ref?: string;
  readonly allOf?: readonly AnySchema[];
  readonly not?: AnySchema;
  readonly if?: AnySchema;
}
