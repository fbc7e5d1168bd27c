import { ValidationError } from '@x/core';
import type { SetItem } from './character-set.ts';

export interface Escape {
  readonly item: SetItem;
  /** How many characters it takes, the backslash included. */
  readonly length: number;
}

const CONTROL: Readonly<Record<string, number>> = { t: 9, r: 13, f: 12, v: 11, a: 7 };
const CATEGORY = /^(?:C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/;

/** The escape that begins with the backslash at `at`: a class, a code point, or a character taken literally. @throws ValidationError */
export function escapeAt(source: string, at: number): Escape {
  const rest = source.slice(at + 1, at + 16);
  const letter = rest[0];
  if (letter === undefined) throw new ValidationError('The pattern ends with a lone backslash', 'pattern');
  const perl = /^[dwsDWS]/.exec(rest)?.[0];
  if (perl) {
    const name = perl.toLowerCase() as 'd' | 'w' | 's'; // safe: one of the six letters above
    return { item: { type: 'perl', name, negated: perl !== name }, length: 2 };
  }
  const category = /^([pP])(?:\{(\^?)(\w+)\}|(\w))/.exec(rest);
  if (category) return { item: categoryOf(category), length: 1 + category[0].length };
  const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|[xu]\{([0-9a-fA-F]{1,6})\})/.exec(rest);
  if (code) return { item: pointItem(Number.parseInt(code[1] ?? code[2] ?? code[3]!, 16)), length: 1 + code[0].length };
  if (Object.hasOwn(CONTROL, letter)) return { item: pointItem(CONTROL[letter]!), length: 2 };
  if (letter === 'n')
    throw new ValidationError('A pattern is held against one line at a time: \\n never matches', 'pattern');
  if (/[A-Za-z0-9]/.test(letter)) {
    const message = `\\${letter} is not known here; back references and \\A, \\z, \\Q are not taken`;
    throw new ValidationError(message, 'pattern');
  }
  const point = source.codePointAt(at + 1)!;
  return { item: pointItem(point), length: 1 + String.fromCodePoint(point).length };
}

function categoryOf([, sign, caret, long, short]: readonly (string | undefined)[]): SetItem {
  const name = long ?? short!;
  if (!CATEGORY.test(name)) {
    throw new ValidationError(`\\p{${name}} is not known here; general categories such as \\p{Lu} are`, 'pattern');
  }
  return { type: 'category', name, negated: (sign === 'P') !== (caret === '^') };
}

function pointItem(point: number): SetItem {
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
    throw new ValidationError(`The code point ${point.toString(16)} of the pattern is not a character`, 'pattern');
  }
  return { type: 'range', low: point, high: point };
}
