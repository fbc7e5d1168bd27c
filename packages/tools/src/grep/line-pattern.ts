import { ValidationError } from '@x/core';
import { linearPattern } from '@x/json-schema';

/** A pattern for single lines. */
export interface LinePattern {
  readonly ignoreCase: boolean;
  /** The longest text that every matching line contains, if easily found; may be empty. */
  readonly required: string;
  /** @throws ValidationError when the line is too long for a pattern this large */
  test(line: string): boolean;
}

/** Up to about ten seconds: 10 MB of one line with a pattern of a hundred characters. */
const MAX_STEPS = 1_000_000_000;
/** An escape, a class, the opening of a group of Python, a repetition, or one character. */
const TOKEN = /\\(?:[pPux]\{[^}]*\}|[pPc].|x..|u....|\d+|[^])|\[(?:\\[^]|[^\\\]])*\]|\(\?P(?=<)|\{\d+(?:,\d*)?\}|[^]/gu;
const LITERAL = String.raw`^(?:[^\\^$.*+?()[\]{}|\p{C}]|\\[^\p{L}\p{N}\p{C}])$`;
/** Made on first use: as a literal it would cost 2 ms of every start. */
let literal: RegExp | undefined;

/**
 * Compiles a JavaScript regular expression for single lines; a leading `(?i)` and `(?P<name>...)` are accepted too.
 * @throws ValidationError naming an unsupported part: look-around, back references, a part that never matches or has another meaning in
 * other dialects
 */
export function linePattern(source: string, options: { readonly ignoreCase?: boolean } = {}): LinePattern {
  const folded = source.startsWith('(?i)');
  const tokens = Array.from((folded ? source.slice(4) : source).matchAll(TOKEN), ([token]) => token);
  for (const token of tokens) {
    if (token === '\\n' || token === '\n') throw refusal('it is held against one line at a time: \\n never matches');
    if (/^\[.*\[:\w/s.test(token)) throw refusal('[: :] is not supported inside [...]; use \\d, \\s or \\p{L}');
  }
  const plain = tokens.map((token) => (token === '(?P' ? '(?' : token));
  const ignoreCase = folded || (options.ignoreCase ?? false);
  const { test } = linearPattern(plain.join(''), { ignoreCase, line: true, maxSteps: MAX_STEPS });
  return { ignoreCase, required: requiredText(plain), test };
}

function requiredText(tokens: readonly string[]): string {
  let longest: readonly string[] = [];
  let run: string[] = [];
  literal ??= new RegExp(LITERAL, 'u');
  let depth = 0;
  for (const token of [...tokens, '']) {
    if (token === '|' && depth === 0) return '';
    if (token.startsWith('(')) depth += 1;
    if (token === ')') depth -= 1;
    if (depth === 0 && literal.test(token)) {
      run.push(token.replace('\\', ''));
      continue;
    }
    if (/^[*?{]/.test(token)) run.pop(); // may be there no times
    if (run.length > longest.length) longest = run;
    run = [];
  }
  return longest.join('');
}

function refusal(why: string): ValidationError {
  return new ValidationError(`The pattern cannot be used: ${why}`, 'pattern');
}
