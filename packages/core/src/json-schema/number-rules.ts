import type { Collect, Rule, SchemaObject, Valid } from './node.ts';

/** The keywords about numbers, without `format`. */
export function numberRules(schema: SchemaObject): Rule[] {
  return [...rangeRule(schema), ...multipleRule(schema)];
}

function rangeRule(schema: SchemaObject): Rule[] {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema as Record<string, number>; // safe: inspected
  const faults: ((value: number) => string | undefined)[] = [];
  if (minimum !== undefined) faults.push((value) => (value >= minimum ? undefined : `at least ${minimum}`));
  if (maximum !== undefined) faults.push((value) => (value <= maximum ? undefined : `at most ${maximum}`));
  if (above !== undefined) faults.push((value) => (value > above ? undefined : `more than ${above}`));
  if (below !== undefined) faults.push((value) => (value < below ? undefined : `less than ${below}`));
  if (faults.length === 0) return [];
  const collect: Collect = (value, path, _run, found) => {
    for (const fault of faults) {
      const expected = fault(value as number);
      if (expected !== undefined) found.wrong(path, expected);
    }
  };
  return [{ kind: 'number', valid: rangeOf(minimum, maximum, above, below), collect }];
}

function rangeOf(minimum = -Infinity, maximum = Infinity, above = -Infinity, below = Infinity): Valid {
  const closed: Valid = (value) => (value as number) >= minimum && (value as number) <= maximum;
  if (above === -Infinity && below === Infinity) return closed;
  return (value, run) => closed(value, run) && (value as number) > above && (value as number) < below;
}

/** The quotient is judged as ajv does: whole, and below 1e21. */
function multipleRule(schema: SchemaObject): Rule[] {
  const { multipleOf: divisor } = schema as Record<string, number | undefined>; // safe: inspected
  if (divisor === undefined) return [];
  const expected = `a multiple of ${divisor}`;
  const valid: Valid = (value) => {
    const quotient = (value as number) / divisor;
    return Number.isInteger(quotient) && Math.abs(quotient) < 1e21;
  };
  return [
    {
      kind: 'number',
      valid,
      collect(value, path, run, found) {
        if (!valid(value, run)) found.wrong(path, expected);
      },
    },
  ];
}
