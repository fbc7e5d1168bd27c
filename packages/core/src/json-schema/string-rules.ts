import { messageOf } from '../errors.ts';
import { type Format, formats } from './formats.ts';
import type { LinearPattern } from './linear-pattern.ts';
import type { Compiling, Rule, SchemaObject, Valid } from './node.ts';

/** The keywords about strings, and `format`, which some numbers have too. */
export function stringRules(schema: SchemaObject, compiling: Compiling): Rule[] {
  const { pattern, format } = schema as Record<string, string | undefined>; // safe: inspected
  return [
    ...lengthRule(schema),
    ...(pattern === undefined ? [] : [patternRule(pattern, compiling.pattern(pattern))]),
    ...(format === undefined ? [] : formatRule(format)),
  ];
}

/** Lengths are counted in code points. */
function lengthRule(schema: SchemaObject): Rule[] {
  const { minLength: least, maxLength: most } = schema as Record<string, number | undefined>; // safe: inspected
  if (least === undefined && most === undefined) return [];
  const longEnough: Valid = (value) => least === undefined || isAtLeast(value as string, least);
  const shortEnough: Valid = (value) => most === undefined || !isAtLeast(value as string, most + 1);
  return [
    {
      kind: 'string',
      valid: most === undefined ? longEnough : (value, run) => longEnough(value, run) && shortEnough(value, run),
      collect(value, path, run, found) {
        if (!longEnough(value, run)) found.wrong(path, `at least ${counted(least)}`);
        if (!shortEnough(value, run)) found.wrong(path, `at most ${counted(most)}`);
      },
    },
  ];
}

function counted(length: number | undefined): string {
  return length === 1 ? '1 character' : `${length} characters`;
}

function isAtLeast(text: string, length: number): boolean {
  if (text.length < length) return false;
  if (text.length >= 2 * length) return true;
  let count = text.length;
  for (let at = 0; at < text.length && count >= length; at++) {
    // The second half of a pair is no character of its own.
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) {
      count--;
      at++;
    }
  }
  return count >= length;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function patternRule(source: string, pattern: LinearPattern): Rule {
  const expected = `a match of ${source}`;
  return {
    kind: 'string',
    valid: (value) => matches(pattern, value as string) === true,
    collect(value, path, _run, found) {
      const answer = matches(pattern, value as string);
      if (answer !== true) found.wrong(path, expected, answer === false ? undefined : answer);
    },
  };
}

/** A text in place of an answer says why there is none. */
export function matches(pattern: LinearPattern, text: string): boolean | string {
  try {
    return pattern.test(text);
  } catch (error) {
    return messageOf(error);
  }
}

function formatRule(name: string): Rule[] {
  const format: Format = formats.get(name)!; // inspected
  if (format.test === undefined) return [];
  const { test, kind } = format;
  const expected = `a value of the format ${name}`;
  return [
    {
      kind,
      valid: (value) => test(value),
      collect(value, path, _run, found) {
        if (!test(value)) found.wrong(path, expected);
      },
    },
  ];
}
