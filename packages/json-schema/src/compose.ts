import { isRecord } from '@x/errors';
import type { Collect, Fill, Kind, Mark, Node, Rule, Valid } from './node.ts';

const isNumber: (value: unknown) => boolean = Number.isFinite;
const TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: isNumber,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
};

/** Combines the rules of one schema, and its types. */
export function compose(types: readonly string[] | undefined, rules: readonly Rule[]): Node {
  const node: Node = { valid: validOf(types, rules), collect: collectOf(types, rules) };
  const marks = rules.flatMap(({ mark }) => (mark ? [mark] : []));
  if (marks.length > 0) node.mark = markOf(marks);
  const fills = rules.flatMap(({ fill }) => (fill ? [fill] : []));
  if (fills.length > 0) node.fill = fillOf(fills);
  return node;
}

function validOf(types: readonly string[] | undefined, rules: readonly Rule[]): Valid {
  const only = types?.length === 1 ? types[0] : undefined;
  if (only !== undefined) {
    const kind = kindOf(only);
    const asked = rules.filter((rule) => rule.kind === undefined || rule.kind === kind);
    return typed(only, all(asked.map(({ valid }) => valid)));
  }
  const general = rules.filter(({ kind }) => kind === undefined).map(({ valid }) => valid);
  const about = (kind: string) => rules.filter((rule) => rule.kind === kindOf(kind)).map(({ valid }) => valid);
  if (rules.every(({ kind }) => kind === undefined)) {
    const fits = types && anyType(types);
    return all(fits ? [fits, ...general] : general) ?? (() => true);
  }
  const rest = all(general) ?? (() => true);
  const tests = types && anyType(types);
  const [ofString, ofNumber, ofObject, ofArray] = (['string', 'number', 'object', 'array'] as const).map((kind) =>
    all(about(kind)),
  );
  return (value, run) => {
    if (tests && !tests(value, run)) return false;
    const valid =
      typeof value === 'string' ? ofString : isNumber(value) ? ofNumber : Array.isArray(value) ? ofArray : ofObject;
    if (valid && (valid !== ofObject || isRecord(value)) && !valid(value, run)) return false;
    return rest(value, run);
  };
}

function kindOf(type: string): string {
  return type === 'integer' ? 'number' : type;
}

function anyType(types: readonly string[]): Valid {
  const tests = types.map((type) => TESTS[type]!); // inspected
  return (value) => {
    for (const test of tests) if (test(value)) return true;
    return false;
  };
}

/** All of them, in order; undefined without any. */
function all(valids: readonly Valid[]): Valid | undefined {
  const [one, two, three] = valids;
  if (!one || !two) return one;
  if (!three) return (value, run) => one(value, run) && two(value, run);
  if (valids.length === 3) return (value, run) => one(value, run) && two(value, run) && three(value, run);
  return (value, run) => {
    for (const valid of valids) if (!valid(value, run)) return false;
    return true;
  };
}

function typed(type: string, inner: Valid | undefined): Valid {
  if (!inner) return TESTS[type]!; // inspected
  if (type === 'string') return (value, run) => typeof value === 'string' && inner(value, run);
  if (type === 'integer') return (value, run) => Number.isInteger(value) && inner(value, run);
  if (type === 'number') return (value, run) => Number.isFinite(value) && inner(value, run);
  if (type === 'array') return (value, run) => Array.isArray(value) && inner(value, run);
  if (type === 'object') {
    return (value, run) => isRecord(value) && inner(value, run);
  }
  const test = TESTS[type]!; // inspected
  return (value, run) => test(value) && inner(value, run);
}

function collectOf(types: readonly string[] | undefined, rules: readonly Rule[]): Collect {
  const fits = types && anyType(types);
  const expected = types?.join(' or ') ?? '';
  return (value, path, run, found) => {
    if (fits && !fits(value, run)) return found.wrongType(path, expected);
    const kind = kindOfValue(value);
    for (const rule of rules) {
      if (rule.kind === undefined || rule.kind === kind) rule.collect(value, path, run, found);
    }
  };
}

function kindOfValue(value: unknown): Kind | undefined {
  if (typeof value === 'string') return 'string';
  if (isNumber(value)) return 'number';
  if (Array.isArray(value)) return 'array';
  return isRecord(value) ? 'object' : undefined;
}

function markOf(marks: readonly Mark[]): Mark {
  return (value, run, seen) => {
    for (const mark of marks) mark(value, run, seen);
  };
}

function fillOf(fills: readonly Fill[]): Fill {
  return (value, run) => fills.reduce((filled, fill) => fill(filled, run), value);
}
