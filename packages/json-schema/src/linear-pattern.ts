import { ValidationError } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { RE2JS } from 're2js';
import { simplePattern } from './simple-pattern.ts';
import { unicodeClass } from './unicode-class.ts';

/** A compiled pattern that matches in time linear in the text. */
export interface LinearPattern {
  /** True when the pattern occurs in the text. @throws ValidationError when the text is longer than 65,536 characters, or takes too long */
  test(text: string): boolean;
  /** Maximum steps per character: the size of the program; 0 without one. */
  readonly steepness: number;
}

/** Options that differ from the patterns of a JSON Schema. */
export interface LinearPatternOptions {
  /** A letter matches its other case too. Default: false. */
  readonly ignoreCase?: boolean;
  /**
   * The text is a line of a file: a dot matches any character, except a lone surrogate, which stands for an invalid byte. Default: false.
   */
  readonly line?: boolean;
  /** Maximum steps for one text, instead of the limits of its characters and of one validation. */
  readonly maxSteps?: number;
}

const OPTIONS: OptionRules<LinearPatternOptions> = { ignoreCase: is.flag, line: is.flag, maxSteps: is.count() };
const MAX_TEXT = 65_536;
const MAX_SOURCE = 4_096;
const MAX_PROGRAM = 4_096;
/** Steps of patterns in one validation: at worst about 0.4 seconds on a slow machine. */
const MAX_STEPS = 5_000_000;
/** ECMA-262's meaning, as RE2's `\s` matches less and its dot more. */
const WHITE_SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_WHITE_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const LINE_ENDS = '\\n\\r\\x{2028}\\x{2029}';
const SURROGATES = '\\x{d800}-\\x{dfff}';
const REASONS = [
  [
    'character class range',
    'it names a class that is not known here; general categories such as \\p{Lu} and scripts are',
  ],
  ['repeat count', 'it is too large; use smaller repetitions'],
  ['escape sequence', 'back references are not supported'],
] as const;
/** The opening of a class, a class by name, the escapes of a surrogate pair, or one character, escaped or not. */
const TOKEN = /\[\^?\]?|\\[pP]\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\?[^]/gu;
const LETTER_ESCAPES = 'dDwWsSbBnrtfvxucpP';

/**
 * Compiles an ECMA-262 pattern from outside, to run in time linear in the text, by code points: as a RegExp of the platform when the form
 * of the pattern proves it safe (`simplePattern`), else by RE2.
 * @throws ValidationError when it does not compile, is too large, or uses look-around or back-references
 */
export function linearPattern(source: string, options: LinearPatternOptions = {}): LinearPattern {
  checkOptions('linearPattern options', options, OPTIONS);
  const { ignoreCase = false, line = false, maxSteps } = options;
  const compiled = (ignoreCase || line ? undefined : simplePattern(source)) ?? compile(source, { ignoreCase, line });
  const steepness = 'programSize' in compiled ? compiled.programSize() : 0;
  return {
    steepness,
    test(text) {
      if (maxSteps !== undefined) {
        if (steepness * text.length > maxSteps)
          throw refusedPattern(source, `it is too large for ${text.length} characters`);
        return compiled.test(text);
      }
      if (text.length > MAX_TEXT) {
        throw new ValidationError(`The text has ${text.length} characters; patterns are matched up to ${MAX_TEXT}`);
      }
      checkSteps(steepness * text.length);
      return compiled.test(text);
    },
  };
}

/** @throws ValidationError when patterns have used too many steps */
export function checkSteps(steps: number): void {
  if (steps > MAX_STEPS) throw new ValidationError('The input takes too long to validate');
}

function compile(source: string, { ignoreCase, line }: { ignoreCase: boolean; line: boolean }): RE2JS {
  if (source.length > MAX_SOURCE) throw refusedPattern(source, `it is longer than ${MAX_SOURCE} characters`);
  // The engine knows spellings that ECMA-262 does not.
  const fault = faultOf(source, 'u') && faultOf(source, '');
  if (fault) throw refusedPattern(source, `it is not a regular expression (${fault})`);
  const translated = RE2JS.translateRegExp(translate(source, line ? SURROGATES : ''));
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(translated, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const { message } = error as Error;
    const [, what] = REASONS.find(([part]) => message.includes(part)) ?? ['', 'look-around is not supported'];
    throw refusedPattern(source, `${what} (${message})`);
  }
  if (compiled.programSize() > MAX_PROGRAM) throw refusedPattern(source, 'it is too large; use smaller repetitions');
  return compiled;
}

function faultOf(source: string, flags: string): string | undefined {
  try {
    new RegExp(source, flags);
    return undefined;
  } catch (error) {
    return (error as Error).message.split(': ').at(-1); // safe: RegExp throws a SyntaxError
  }
}

/** The same pattern in RE2's dialect; `never` matches nothing. */
function translate(source: string, never: string): string {
  let translated = '';
  let inClass = false;
  for (const [token] of source.matchAll(TOKEN)) {
    if (token.startsWith('[')) {
      translated += inClass ? `\\[${token.slice(1)}` : classStart(token, never);
      inClass = !token.endsWith(']');
    } else if (token === ']') {
      translated += inClass ? token : '\\]';
      inClass = false;
    } else if (never !== '' && !inClass && /^\\(?:[DSW]|P\{)/.test(token)) {
      translated += `[^${never}${escape(
        token.replace(/[A-Z]/, (letter) => letter.toLowerCase()),
        true,
        source,
      )}]`;
    } else if (token.startsWith('\\')) translated += escape(token, inClass, source);
    else translated += token === '.' && !inClass ? `[^${never || LINE_ENDS}]` : token;
  }
  return translated;
}

/** `[]` matches nothing, `[^]` anything. */
function classStart(token: string, never: string): string {
  if (token === '[]') return '[^\\x{0}-\\x{10ffff}]';
  if (token === '[^]' && never === '') return '[\\x{0}-\\x{10ffff}]';
  return token.startsWith('[^') ? `[^${never}${token.slice(2)}` : token;
}

function escape(token: string, inClass: boolean, source: string): string {
  if (token.length > 3 && /^\\[pP]/.test(token)) return unicodeClass(token, inClass);
  if (token.length > 3 && token.startsWith('\\u')) return `\\x{${codePoint(token)}}`;
  const letter = token.slice(1);
  if (letter === 's') return inClass ? WHITE_SPACE : `[${WHITE_SPACE}]`;
  if (letter === 'S') return inClass ? NOT_WHITE_SPACE : `[^${WHITE_SPACE}]`;
  if (letter === 'b' && inClass) return '\\x{8}';
  if (letter === 'k') throw refusedPattern(source, 'back references are not supported');
  if (/[A-Za-z]/.test(letter) && !LETTER_ESCAPES.includes(letter))
    throw refusedPattern(source, `${token} has no meaning`);
  return token;
}

/** The code point of a surrogate pair, in hexadecimal digits. */
function codePoint(pair: string): string {
  const [high = 0, low = 0] = pair
    .slice(2)
    .split('\\u')
    .map((unit) => parseInt(unit, 16));
  return ((high - 0xd800) * 0x400 + low - 0xdc00 + 0x10000).toString(16);
}

function refusedPattern(source: string, reason: string): ValidationError {
  const shown = source.length > 100 ? `${source.slice(0, 100)}...` : source;
  return new ValidationError(`Pattern ${JSON.stringify(shown)} cannot be used: ${reason}`, 'pattern');
}
