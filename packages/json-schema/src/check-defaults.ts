import { issuesError, pointerPart, type ValidationIssue } from '@x/errors';
import type { Compiler } from './compile.ts';
import { Found } from './found.ts';
import { type AnySchema, newRun } from './node.ts';
import type { SchemaDocument } from './resources.ts';

const MOST_NOTES = 100;

/**
 * Checks defaults: one that its own schema refuses would make every call without it fail. In a foreign schema it is noted, and not filled
 * in.
 * @throws ValidationError with all of them
 */
export function checkDefaults({ places, notes, unfit }: SchemaDocument, compiler: Compiler, foreign: boolean): void {
  const faults: ValidationIssue[] = [];
  for (const [schema, { pointer }] of places) {
    for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, AnySchema>)) {
      if (typeof property !== 'object' || property['default'] === undefined) continue;
      const found = new Found(1);
      const node = compiler.root(property);
      const run = newRun();
      const value = node.fill ? node.fill(property['default'], run) : property['default'];
      node.collect(value, '', run, found);
      if (found.issues.length > 0) unfit.add(property);
      const path = `${pointer}/properties/${pointerPart(name)}/default`;
      for (const { message } of found.issues)
        faults.push({ path, message: `JSON Schema: ${path} does not fit: ${message}` });
    }
  }
  if (foreign) notes.push(...faults.slice(0, MOST_NOTES));
  else if (faults.length > 0) throw issuesError(faults);
}
