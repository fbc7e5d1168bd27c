import type { AnySchema, Compiling, Node, Rule, SchemaObject, Valid } from './node.ts';
import { typesOf } from './type-names.ts';

/** `allOf`, `anyOf`, `oneOf`, `not`, and `if` with `then` and `else`. */
export function combiningRules(schema: SchemaObject, compiling: Compiling): Rule[] {
  const { allOf, anyOf, oneOf, not } = schema as Record<string, AnySchema[] | undefined>; // safe: inspected
  return [
    ...(allOf ? [allOfRule(allOf.map((one) => compiling.child(one)))] : []),
    ...(anyOf ? [anyOfRule(anyOf, compiling)] : []),
    ...(oneOf ? [oneOfRule(oneOf, compiling)] : []),
    ...(not === undefined ? [] : [notRule(compiling.child(not as unknown as AnySchema))]),
    ...(schema['if'] === undefined ? [] : [ifRule(schema, compiling)]),
  ];
}

function allOfRule(nodes: readonly Node[]): Rule {
  return {
    valid: (value, run) => nodes.every((node) => node.valid(value, run)),
    collect(value, path, run, found) {
      for (const node of nodes) node.collect(value, path, run, found);
    },
    mark(value, run, seen) {
      for (const node of nodes) node.mark?.(value, run, seen);
    },
    fill: (value, run) => nodes.reduce((filled, node) => (node.fill ? node.fill(filled, run) : filled), value),
  };
}

interface Branch {
  readonly node: Node;
  readonly valid: Valid;
}

function branchesOf(schemas: readonly AnySchema[], compiling: Compiling): Branch[] {
  return schemas.map((schema) => {
    const node = compiling.child(schema);
    return { node, valid: compiling.remembered(node.valid) };
  });
}

function anyOfRule(schemas: readonly AnySchema[], compiling: Compiling): Rule {
  const branches = branchesOf(schemas, compiling);
  const expected = choice(schemas);
  return {
    valid(value, run) {
      for (const { valid } of branches) if (valid(value, run)) return true;
      return false;
    },
    collect: (value, path, run, found) => {
      collectClosest(branches, expected, value, path, run, found);
    },
    mark: markFitting(branches),
  };
}

function oneOfRule(schemas: readonly AnySchema[], compiling: Compiling): Rule {
  const branches = branchesOf(schemas, compiling);
  const expected = choice(schemas);
  return {
    valid(value, run) {
      let fitting = 0;
      for (const { valid } of branches) if (valid(value, run) && ++fitting > 1) return false;
      return fitting === 1;
    },
    collect(value, path, run, found) {
      const fitting = collectClosest(branches, expected, value, path, run, found);
      if (fitting > 1) found.wrong(path, 'a value that fits just one of the schemas in oneOf', `it fits ${fitting}`);
    },
    mark: markFitting(branches),
  };
}

function choice(schemas: readonly AnySchema[]): string {
  const types = schemas.map(typesOf);
  if (types.every((one) => one !== undefined)) return [...new Set(types.flat())].join(' or ');
  return `a value that fits one of ${schemas.length} schemas`;
}

/** When no branch fits, adds the faults of the only one of the right type, else one fault. Returns the number of branches that fit. */
function collectClosest(
  branches: readonly Branch[],
  expected: string,
  ...[value, path, run, found]: Parameters<Node['collect']>
): number {
  let fitting = 0;
  const close = [];
  for (const { node } of branches) {
    const faults = found.fresh();
    node.collect(value, path, run, faults);
    if (faults.issues.length === 0) fitting++;
    else if (faults.issues.every((issue) => issue.path !== path)) close.push(faults.issues);
  }
  if (fitting > 0) return fitting;
  if (close.length === 1) found.add(close[0]!);
  else found.wrong(path, expected);
  return 0;
}

function markFitting(branches: readonly Branch[]): NonNullable<Node['mark']> {
  return (value, run, seen) => {
    for (const { node, valid } of branches) if (node.mark && valid(value, run)) node.mark(value, run, seen);
  };
}

function notRule(node: Node): Rule {
  return {
    valid: (value, run) => !node.valid(value, run),
    collect(value, path, run, found) {
      if (node.valid(value, run)) found.wrong(path, 'a value that the schema in not refuses');
    },
  };
}

function ifRule(schema: SchemaObject, compiling: Compiling): Rule {
  const [condition, then, otherwise] = ['if', 'then', 'else'].map((keyword) =>
    schema[keyword] === undefined ? undefined : compiling.child(schema[keyword] as AnySchema),
  );
  const holds = compiling.remembered(condition!.valid); // `if` is there
  const next = (value: unknown, run: Parameters<Valid>[1]) => (holds(value, run) ? then : otherwise);
  return {
    valid: (value, run) => next(value, run)?.valid(value, run) ?? true,
    collect: (value, path, run, found) => next(value, run)?.collect(value, path, run, found),
    mark(value, run, seen) {
      if (holds(value, run)) condition!.mark?.(value, run, seen);
      next(value, run)?.mark?.(value, run, seen);
    },
  };
}
