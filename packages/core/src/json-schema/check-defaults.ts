import { issuesError, pointerPart, type ValidationIssue } from '../validation-issue.ts';
import type { Compiler } from './compile.ts';
import { Found } from './found.ts';
import type { AnySchema } from './node.ts';
import type { SchemaDocument } from './resources.ts';

/** A default that its own schema refuses would make every call without it fail. @throws ValidationError telling all of them */
export function checkDefaults({ places }: SchemaDocument, compiler: Compiler): void {
  const faults: ValidationIssue[] = [];
  for (const [schema, { pointer }] of places) {
    for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, AnySchema>)) {
      if (typeof property !== 'object' || property['default'] === undefined) continue;
      const found = new Found(1);
      const node = compiler.root(property);
      const run = { depth: 0, steps: 0, scope: [], memory: new Map() };
      const value = node.fill ? node.fill(property['default'], run) : property['default'];
      node.collect(value, '', run, found);
      const path = `${pointer}/properties/${pointerPart(name)}/default`;
      for (const { message } of found.issues)
        faults.push({ path, message: `JSON Schema: ${path} does not fit: ${message}` });
    }
  }
  if (faults.length > 0) throw issuesError(faults);
}
