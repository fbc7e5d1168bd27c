import { isRecord, shownNames } from '@x/errors';
import type { AnySchema, Compiling, Node, Rule, SchemaObject, Valid } from './node.ts';
import { propertiesRule } from './properties-rule.ts';

/** The keywords about objects, without `unevaluatedProperties`. */
export function objectRules(schema: SchemaObject, compiling: Compiling): Rule[] {
  const { minProperties, maxProperties, propertyNames } = schema;
  return [
    ...propertiesRule(schema, compiling),
    ...(minProperties === undefined && maxProperties === undefined ? [] : [sizeRule(schema)]),
    ...(propertyNames === undefined ? [] : [namesRule(compiling.child(propertyNames as AnySchema))]),
    ...dependencyRules(schema, compiling),
  ];
}

function sizeRule(schema: SchemaObject): Rule {
  const { minProperties: least = 0, maxProperties: most = Infinity } = schema as Record<string, number>; // safe: inspected
  const count = (value: unknown) => Object.keys(value as object).length;
  return {
    kind: 'object',
    valid(value) {
      const size = count(value);
      return size >= least && size <= most;
    },
    collect(value, path, _run, found) {
      const size = count(value);
      if (size < least) found.wrong(path, `at least ${counted(least)}`);
      if (size > most) found.wrong(path, `at most ${counted(most)}`);
    },
  };
}

function counted(count: number): string {
  return count === 1 ? '1 property' : `${count} properties`;
}

function namesRule(node: Node): Rule {
  return {
    kind: 'object',
    valid: (value, run) => Object.keys(value as object).every((name) => node.valid(name, run)),
    collect(value, path, run, found) {
      for (const name of Object.keys(value as object)) {
        if (found.full) return;
        const faults = found.fresh();
        node.collect(name, '', run, faults);
        if (faults.issues[0])
          found.wrong(path, `no property ${JSON.stringify(shownNames([name]))}`, faults.issues[0].message);
      }
    },
  };
}

interface Dependency {
  readonly name: string;
  readonly needs: readonly string[];
  readonly node?: Node;
}

/** `dependentRequired`, `dependentSchemas`, and `dependencies`, which says either. */
function dependencyRules(schema: SchemaObject, compiling: Compiling): Rule[] {
  const dependencies = ['dependentRequired', 'dependentSchemas', 'dependencies'].flatMap((keyword) =>
    Object.entries((schema[keyword] ?? {}) as Record<string, AnySchema | string[]>).map(
      ([name, wanted]): Dependency => {
        if (Array.isArray(wanted)) return { name, needs: wanted };
        return { name, needs: [], node: compiling.child(wanted) };
      },
    ),
  );
  return dependencies.map(dependencyRule);
}

function dependencyRule({ name, needs, node }: Dependency): Rule {
  const valid: Valid = (value, run) => {
    if (!has(value, name)) return true;
    return needs.every((need) => has(value, need)) && (!node || node.valid(value, run));
  };
  return {
    kind: 'object',
    valid,
    collect(value, path, run, found) {
      if (!has(value, name)) return;
      for (const need of needs) if (!has(value, need)) found.missing(path, need, `a value, as ${name} is given`);
      node?.collect(value, path, run, found);
    },
    mark(value, run, seen) {
      if (isRecord(value) && has(value, name)) node?.mark?.(value, run, seen);
    },
  };
}

function has(value: unknown, name: string): boolean {
  return Object.hasOwn(value as object, name) && (value as Record<string, unknown>)[name] !== undefined;
}
