import { isKeyed, MOST_SHOWN, shownValue, unknownKey } from './check-keys.ts';
import { ValidationError } from './errors.ts';

/** A rule for the value of an option, and its wording in an error. */
export interface OptionRule {
  /** The text after `must be`. */
  readonly duty: string;
  readonly fits: (value: unknown) => boolean;
  /** Checks the content of a value that fits. @throws ValidationError */
  readonly inside?: ((value: unknown, path: string) => void) | undefined;
  /** Undefined does not fit. */
  readonly isRequired?: true;
  /** The value is not shown: it may be a key or a password. */
  readonly isSecret?: true;
}
/** One rule for each key of the options: a forgotten key does not compile. */
export type OptionRules<T> = { readonly [K in keyof Required<T>]: OptionRule };

/**
 * Checks options against their rules. `what` begins the message about an unknown key, such as `Registry options`; `path` is the place of
 * the object among the options, absent for the whole of them. @throws ValidationError naming the first key that is unknown, or whose value
 * is invalid; `field` is its whole path
 */
export function checkOptions(
  what: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
  path?: string,
): asserts options is object {
  if (!isKeyed(options)) throw new ValidationError(`${what} must be an object, not ${shownValue(options)}`, path);
  // Options are checked for each call of some functions, so only what is given is looked at.
  for (const key in options) {
    const own = rules[key];
    const value = options[key];
    // A property of every object, such as `toString`, is not a rule.
    if (own?.fits !== undefined && (value === undefined || (own.inside === undefined && own.fits(value)))) continue;
    refuseUnknown(what, options, rules, path); // before any value: a misspelt key says most
    if (Object.hasOwn(rules, key)) checkValue(pathOf(key, path), value, own!); // an own key has a rule
  }
  // Methods and getters of a class are not enumerable.
  const isPlain = Object.getPrototypeOf(options) === Object.prototype;
  for (const key of isPlain ? requiredKeys(rules) : Object.keys(rules)) {
    if (!isPlain || options[key] === undefined) checkValue(pathOf(key, path), options[key], rules[key]!); // a key of its own
  }
}

function refuseUnknown(what: string, options: object, rules: object, path: string | undefined): void {
  const odd = Object.keys(options).find((key) => !Object.hasOwn(rules, key));
  if (odd !== undefined) throw unknownKey(what, odd, Object.keys(rules), path);
}

/** By the rules, which are constants. */
const needed = new WeakMap<object, readonly string[]>();

function requiredKeys(rules: Readonly<Record<string, OptionRule>>): readonly string[] {
  let keys = needed.get(rules);
  if (!keys) needed.set(rules, (keys = Object.keys(rules).filter((key) => rules[key]!.isRequired)));
  return keys;
}

function pathOf(key: string, path: string | undefined): string {
  return path === undefined ? key : `${path}.${key}`;
}

/** Checks one value against its rule. @throws ValidationError with `path` as its field */
export function checkValue(
  path: string,
  value: unknown,
  { duty, fits, inside, isRequired, isSecret }: OptionRule,
): void {
  if (value === undefined && !isRequired) return;
  if (!fits(value)) {
    throw new ValidationError(`${path} must be ${duty}${isSecret ? '' : `, not ${shownValue(value)}`}`, path);
  }
  inside?.(value, path);
}

/** Copies the options that have rules here and are not undefined, inherited ones too. */
export function given<T extends object>(options: T, rules: OptionRules<T>): T {
  const keys = Object.keys(rules) as (keyof T)[]; // safe: one rule for each key
  return Object.fromEntries(keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]]))) as T; // safe: the same values
}

/** A custom rule. */
export function rule(duty: string, fits: OptionRule['fits'], inside?: OptionRule['inside']): OptionRule {
  return { duty, fits, inside };
}

/** A rule whose check is another function, which throws. */
export function checked(check: (value: unknown, path: string) => unknown): OptionRule {
  return rule(
    'anything',
    () => true,
    (value, path) => void check(value, path),
  );
}

/** The rule, for a required option. */
export function required(one: OptionRule, duty: string = one.duty): OptionRule {
  return { ...one, duty, isRequired: true };
}

/** The rule, for a value that errors must not show. */
export function secret(one: OptionRule): OptionRule {
  return { ...one, isSecret: true };
}

/** A value that is checked elsewhere, or needs no check. */
export const anything: OptionRule = rule('anything', () => true);
export const flag: OptionRule = rule('true or false', (value) => typeof value === 'boolean');
export const callback: OptionRule = rule('a function', (value) => typeof value === 'function');
export const abortSignal: OptionRule = having('an AbortSignal', 'addEventListener');
/** It may be empty. */
export const text: OptionRule = rule('a text', (value) => typeof value === 'string');
export const filledText: OptionRule = rule(
  'a text that is not empty',
  (value) => typeof value === 'string' && value !== '',
);
/** As text: a lone surrogate, which stands for a byte elsewhere, would silently be another name. */
export const filePath: OptionRule = rule(
  'the path of a file or a directory, as well-formed text without NUL',
  (value) => typeof value === 'string' && value !== '' && value.isWellFormed() && !value.includes('\0'),
);
/** More than spaces. */
export const words: OptionRule = rule(
  'a text that is not blank',
  (value) => typeof value === 'string' && value.trim() !== '',
);
/** `Infinity` included. */
export const milliseconds: OptionRule = rule(
  'a number of milliseconds from 0',
  (value) => typeof value === 'number' && value >= 0,
);
export const list: OptionRule = rule('a list', Array.isArray);
export const texts: OptionRule = listOf(text, 'a list of texts');

/** A whole number. */
export function count(least = 1, most: number = Number.MAX_SAFE_INTEGER): OptionRule {
  const duty = `a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`;
  return rule(duty, (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most); // safe: it is a number
}

export function countOrInfinity(least: number): OptionRule {
  const { duty, fits } = count(least);
  return rule(`${duty}, or Infinity`, (value) => value === Number.POSITIVE_INFINITY || fits(value));
}

/** Milliseconds that a wait can take: no `Infinity`. */
export function finiteMilliseconds(most: number = Number.MAX_VALUE): OptionRule {
  const duty = `a number of milliseconds from 0${most === Number.MAX_VALUE ? '' : ` to ${most}`}`;
  return rule(duty, (value) => typeof value === 'number' && value >= 0 && value <= most);
}

export function oneOf(...words: readonly unknown[]): OptionRule {
  return rule(`one of ${words.map(String).join(', ')}`, (value) => words.includes(value));
}

/** An object with these methods, its own or inherited. */
export function having(what: string, ...methods: readonly string[]): OptionRule {
  return rule(what, (value) => {
    const object = value as Readonly<Record<string, unknown>> | null | undefined; // safe: only read as unknown values
    return methods.every((method) => typeof object?.[method] === 'function');
  });
}

/** Options in an option. */
export function nested<T>(rules: OptionRules<T>, duty = 'an object'): OptionRule {
  return rule(duty, isKeyed, (value, path) => checkOptions(path, value, rules, path));
}

/** A record from outside that may hold more than these keys, as a newer version writes it. */
export function shape(rules: Readonly<Record<string, OptionRule>>): OptionRule {
  return rule('an object', isKeyed, (value, path) => {
    const record = value as Readonly<Record<string, unknown>>; // safe: it fits
    for (const [key, one] of Object.entries(rules)) checkValue(pathOf(key, path), record[key], one);
  });
}

/** A record whose `type` says which shape it has; any other type is refused unless `open`. */
export function typed(shapes: Readonly<Record<string, OptionRule>>, open = false): OptionRule {
  const type = required(open ? text : oneOf(...Object.keys(shapes)));
  return rule('an object', isKeyed, (value, path) => {
    const own = (value as { readonly type?: unknown }).type; // safe: it fits
    checkValue(pathOf('type', path), own, type);
    if (Object.hasOwn(shapes, own as string)) checkValue(path, value, shapes[own as string]!); // safe: a text, as was checked
  });
}

/** Accepts a value that fits one of two rules; the first one is tried first. */
export function either(one: OptionRule, other: OptionRule, duty = `${one.duty}, or ${other.duty}`): OptionRule {
  const ruleOf = (value: unknown) => (one.fits(value) ? one : other);
  return rule(
    duty,
    (value) => ruleOf(value).fits(value),
    (value, path) => ruleOf(value).inside?.(value, path),
  );
}

export function listOf(one: OptionRule, duty = 'a list'): OptionRule {
  return rule(duty, Array.isArray, (values, path) => {
    for (const [index, value] of [...(values as readonly unknown[])].entries()) {
      // safe: it is a list
      checkValue(`${path}[${index}]`, value, { ...one, isRequired: true });
    }
  });
}

/** A list with one value at least. */
export function filledListOf(one: OptionRule, duty: string): OptionRule {
  return rule(duty, (value) => Array.isArray(value) && value.length > 0, listOf(one).inside);
}

/** A list of objects, no two of which have the same value under the key. */
export function uniqueListOf(one: OptionRule, key: string): OptionRule {
  const { duty, fits, inside } = listOf(one);
  return rule(duty, fits, (values, path) => {
    inside?.(values, path);
    const names = (values as readonly Readonly<Record<string, unknown>>[]).map((value) => value[key]); // safe: they fit
    const again = names.findIndex((name, index) => names.indexOf(name) < index);
    const place = `${path}[${again}].${key}`;
    if (again >= 0) throw new ValidationError(`${place} is there twice: ${shownValue(names[again])}`, place);
  });
}

/** An object whose keys are the host's own names; `name` is the rule for them. */
export function recordOf(one: OptionRule, duty = 'an object', name: OptionRule = anything): OptionRule {
  return rule(duty, isKeyed, (values, path) => {
    for (const [key, value] of Object.entries(values as object)) {
      // safe: it is a record
      const place = pathOf(key.slice(0, MOST_SHOWN), path);
      if (!name.fits(key)) throw new ValidationError(`${place} must have a name that is ${name.duty}`, place);
      checkValue(place, value, { ...one, isRequired: true });
    }
  });
}
