import { canonical, equal } from './equal.ts';
import type { Rule, Valid } from './node.ts';

/** Of all characters, of values, and of characters of each. */
const MAX_SHOWN = 2_000;
const MOST_VALUES = 100;

/** `enum` and `const`. */
export function valueRules(schema: Readonly<Record<string, unknown>>): Rule[] {
  const rules: Rule[] = [];
  if (Object.hasOwn(schema, 'const')) rules.push(oneOfValues([schema['const']]));
  if (Object.hasOwn(schema, 'enum')) rules.push(oneOfValues(schema['enum'] as unknown[])); // safe: inspected
  return rules;
}

function oneOfValues(values: readonly unknown[]): Rule {
  const valid = matching(values);
  const shown = shownOf(values);
  const expected = values.length === 1 ? shown : `one of ${shown}`;
  return {
    valid,
    collect(value, path, run, found) {
      if (!valid(value, run)) found.wrong(path, expected);
    },
  };
}

/** As many of the values as there is room for. */
function shownOf(values: readonly unknown[]): string {
  const texts: string[] = [];
  let length = 0;
  for (const value of values) {
    const whole = canonical(value);
    const text = whole.length > MOST_VALUES ? `${whole.slice(0, MOST_VALUES)}...` : whole;
    length += text.length;
    const isFull = length > MAX_SHOWN || texts.length === MOST_VALUES;
    if (isFull) return `${texts.join(', ')} and ${values.length - texts.length} more`;
    texts.push(text);
  }
  return texts.join(', ');
}

function matching(values: readonly unknown[]): Valid {
  const plain = new Set(values.filter((value) => typeof value !== 'object' || value === null));
  const others = values.filter((value) => typeof value === 'object' && value !== null);
  if (others.length === 0) return (value) => plain.has(value);
  return (value) => plain.has(value) || others.some((other) => equal(other, value));
}
