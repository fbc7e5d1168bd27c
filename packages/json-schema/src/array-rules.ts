import { canonical } from './equal.ts';
import type { AnySchema, Compiling, Fill, Node, Rule, SchemaObject, Valid } from './node.ts';

/** The keywords about arrays, without `unevaluatedItems`. */
export function arrayRules(schema: SchemaObject, compiling: Compiling): Rule[] {
  const { uniqueItems, contains, minItems, maxItems } = schema;
  return [
    ...(minItems === undefined && maxItems === undefined ? [] : [sizeRule(schema)]),
    ...itemsRule(schema, compiling),
    ...(contains === undefined ? [] : [containsRule(schema, compiling.child(contains as AnySchema))]),
    ...(uniqueItems === true ? [UNIQUE] : []),
  ];
}

function sizeRule(schema: SchemaObject): Rule {
  const { minItems: least = 0, maxItems: most = Infinity } = schema as Record<string, number>; // safe: inspected
  return {
    kind: 'array',
    valid: (value) => (value as unknown[]).length >= least && (value as unknown[]).length <= most,
    collect(value, path, _run, found) {
      const { length } = value as unknown[];
      if (length < least) found.wrong(path, `at least ${counted(least)}`);
      if (length > most) found.wrong(path, `at most ${counted(most)}`);
    },
  };
}

function counted(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

/** `prefixItems` and `items`. */
function itemsRule({ prefixItems, items }: SchemaObject, compiling: Compiling): Rule[] {
  if (prefixItems === undefined && items === undefined) return [];
  const first = ((prefixItems ?? []) as AnySchema[]).map((schema) => compiling.child(schema));
  const rest = items === undefined ? undefined : compiling.child(items as AnySchema);
  return [
    {
      kind: 'array',
      valid: first.length === 0 && rest ? every(rest.valid) : everyOf(first, rest),
      collect(value, path, run, found) {
        const list = value as unknown[];
        for (let at = 0; at < list.length && !found.full; at++) {
          const node = first[at] ?? rest;
          if (node && !node.valid(list[at], run)) node.collect(list[at], `${path}/${at}`, run, found);
        }
      },
      mark(value, _run, seen) {
        if (!Array.isArray(value)) return;
        if (rest) seen.allItems = true;
        seen.firstItems = Math.max(seen.firstItems, first.length);
      },
      fill: fillItems(first, rest),
    },
  ];
}

function every(valid: Valid): Valid {
  return (value, run) => {
    const list = value as unknown[];
    for (let at = 0; at < list.length; at++) if (!valid(list[at], run)) return false;
    return true;
  };
}

function everyOf(first: readonly Node[], rest: Node | undefined): Valid {
  return (value, run) => {
    const list = value as unknown[];
    for (let at = 0; at < list.length; at++) {
      const node = first[at] ?? rest;
      if (!node) return true;
      if (!node.valid(list[at], run)) return false;
    }
    return true;
  };
}

function fillItems(first: readonly Node[], rest: Node | undefined): Fill {
  return (value, run) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const filled = (first[at] ?? rest)?.fill?.(value[at], run) ?? value[at];
      if (filled === value[at]) continue;
      copy ??= [...value];
      copy[at] = filled;
    }
    return copy ?? value;
  };
}

function containsRule(schema: SchemaObject, node: Node): Rule {
  const { minContains: least = 1, maxContains: most = Infinity } = schema as Record<string, number>; // safe: inspected
  const enough = most === Infinity ? least : most + 1;
  const count: (value: unknown, run: Parameters<Valid>[1]) => number = (value, run) => {
    const list = value as unknown[];
    let fitting = 0;
    for (let at = 0; at < list.length && fitting < enough; at++) if (node.valid(list[at], run)) fitting++;
    return fitting;
  };
  return {
    kind: 'array',
    valid(value, run) {
      const fitting = count(value, run);
      return fitting >= least && fitting <= most;
    },
    collect(value, path, run, found) {
      const fitting = count(value, run);
      if (fitting < least) found.wrong(path, `at least ${counted(least)} that contains allows`);
      if (fitting > most) found.wrong(path, `at most ${counted(most)} that contains allows`);
    },
    mark(value, run, seen) {
      if (!Array.isArray(value)) return;
      for (let at = 0; at < value.length; at++) if (node.valid(value[at], run)) seen.items.add(at);
    },
  };
}

const isUnique: Valid = (value) => {
  const [plain, others] = [new Set<unknown>(), new Set<string>()];
  for (const item of value as unknown[]) {
    const isPlain = typeof item !== 'object' || item === null;
    const known: Set<unknown> = isPlain ? plain : others;
    known.add(isPlain ? item : canonical(item));
  }
  return plain.size + others.size === (value as unknown[]).length;
};

const UNIQUE: Rule = {
  kind: 'array',
  valid: isUnique,
  collect(value, path, run, found) {
    if (!isUnique(value, run)) found.wrong(path, 'no item twice');
  },
};
