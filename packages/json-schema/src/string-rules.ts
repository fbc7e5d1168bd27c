import { messageOf } from '@x/errors';
import { formats } from './formats.ts';
import { checkSteps, type LinearPattern } from './linear-pattern.ts';
import type { Compiling, Rule, Run, SchemaObject, Valid } from './node.ts';

/** The keywords about strings, and `format`, which some numbers have too. */
export function stringRules(schema: SchemaObject, compiling: Compiling): Rule[] {
  const { pattern: source, format } = schema as Record<string, string | undefined>; // safe: inspected
  const pattern = source === undefined ? undefined : compiling.pattern(source);
  return [
    ...lengthRule(schema),
    ...(pattern ? [patternRule(source!, pattern)] : []), // there is a pattern only of a source
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
    // The second half of a pair is not a separate character.
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
    valid: (value, run) => matches(pattern, value as string, run) === true,
    collect(value, path, run, found) {
      const answer = matches(pattern, value as string, run);
      if (answer !== true) found.wrong(path, expected, answer === false ? undefined : answer);
    },
  };
}

/** Returns a text with the reason when there is no result. @throws ValidationError when the patterns of this run take too long */
export function matches(pattern: LinearPattern, text: string, { patterns }: Run): boolean | string {
  patterns.steps += pattern.steepness * text.length;
  checkSteps(patterns.steps);
  try {
    return pattern.test(text);
  } catch (error) {
    return messageOf(error);
  }
}

function formatRule(name: string): Rule[] {
  const format = formats.get(name);
  if (format?.test === undefined) return [];
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
