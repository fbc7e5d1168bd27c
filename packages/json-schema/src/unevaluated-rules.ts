import { pointerPart } from '@x/errors';
import type { AnySchema, Compiling, Evaluated, Mark, Node, Rule, SchemaObject } from './node.ts';

/** `unevaluatedProperties` and `unevaluatedItems`: parts that none of the adjacent keywords, at any depth, has judged. */
export function unevaluatedRules(schema: SchemaObject, beside: readonly Rule[], compiling: Compiling): Rule[] {
  const { unevaluatedProperties: properties, unevaluatedItems: items } = schema as Record<
    string,
    AnySchema | undefined
  >;
  const marks = beside.flatMap(({ mark }) => (mark ? [mark] : []));
  return [
    ...(properties === undefined ? [] : [propertiesRule(properties === false, compiling.child(properties), marks)]),
    ...(items === undefined ? [] : [itemsRule(compiling.child(items), marks)]),
  ];
}

function judgedParts(marks: readonly Mark[], ...[value, run]: Parameters<Node['valid']>): Evaluated {
  const seen = {
    allProperties: false,
    properties: new Set<string>(),
    allItems: false,
    firstItems: 0,
    items: new Set<number>(),
  };
  for (const mark of marks) mark(value, run, seen);
  return seen;
}

function propertiesRule(closed: boolean, node: Node, marks: readonly Mark[]): Rule {
  const rest = (value: unknown, seen: Evaluated): string[] =>
    seen.allProperties ? [] : Object.keys(value as object).filter((name) => !seen.properties.has(name));
  return {
    kind: 'object',
    valid: (value, run) =>
      rest(value, judgedParts(marks, value, run)).every((name) =>
        node.valid((value as Record<string, unknown>)[name], run),
      ),
    collect(value, path, run, found) {
      const seen = judgedParts(marks, value, run);
      const known = [...seen.properties];
      for (const name of rest(value, seen)) {
        if (found.full) return;
        if (closed) found.unknown(path, name, known);
        else node.collect((value as Record<string, unknown>)[name], `${path}/${pointerPart(name)}`, run, found);
      }
    },
    mark(_value, _run, seen) {
      seen.allProperties = true;
    },
  };
}

function itemsRule(node: Node, marks: readonly Mark[]): Rule {
  const rest = (...[value, run]: Parameters<Node['valid']>): number[] => {
    const seen = judgedParts(marks, value, run);
    if (seen.allItems) return [];
    return [...(value as unknown[]).keys()].filter((at) => at >= seen.firstItems && !seen.items.has(at));
  };
  return {
    kind: 'array',
    valid: (value, run) => rest(value, run).every((at) => node.valid((value as unknown[])[at], run)),
    collect(value, path, run, found) {
      for (const at of rest(value, run)) {
        if (found.full) return;
        node.collect((value as unknown[])[at], `${path}/${at}`, run, found);
      }
    },
    mark(_value, _run, seen) {
      seen.allItems = true;
    },
  };
}
