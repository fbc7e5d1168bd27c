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

function multipleRule(schema: SchemaObject): Rule[] {
  const { multipleOf: divisor } = schema as Record<string, number | undefined>; // safe: inspected
  if (divisor === undefined) return [];
  const expected = `a multiple of ${divisor}`;
  const valid: Valid = (value) => isMultiple(value as number, divisor);
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

/** Exact for the decimal notation of the numbers: 19.99 is a multiple of 0.01, though no quotient of doubles shows it. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [one, other] = [decimal(value), decimal(divisor)];
  const exponent = Math.min(one.exponent, other.exponent);
  const whole = ({ digits, exponent: own }: typeof one) => digits * 10n ** BigInt(own - exponent);
  return whole(one) % whole(other) === 0n;
}

/** A number as `digits` times ten to the power of `exponent`. */
function decimal(number: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '', power = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
