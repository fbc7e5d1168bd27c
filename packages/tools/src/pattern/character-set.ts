/** A part of a character class: a range of code points, a Perl class, or a Unicode general category. */
export type SetItem =
  | { readonly type: 'range'; readonly low: number; readonly high: number }
  | { readonly type: 'perl'; readonly name: 'd' | 'w' | 's'; readonly negated: boolean }
  | { readonly type: 'category'; readonly name: string; readonly negated: boolean };

/** What one character of a line may be. */
export interface CharacterSet {
  readonly items: readonly SetItem[];
  readonly negated: boolean;
}

const ASCII = 128;
// Unicode Technical Standard 18, annex C: the meaning ripgrep gives to the classes.
const PERL = {
  d: /^\p{Nd}$/u,
  w: /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u,
  s: /^\p{White_Space}$/u,
} as const;

/** A test for code points. A lone surrogate, which stands for a broken byte, is in no set, negated or not. */
export function setTest({ items, negated }: CharacterSet, ignoreCase: boolean): (codePoint: number) => boolean {
  const tests = items.map((item) => itemTest(item, ignoreCase));
  const test = (point: number) => !isBroken(point) && tests.some((each) => each(point)) !== negated;
  const ascii = Array.from({ length: ASCII }, (_, point) => test(point));
  return (point) => (point < ASCII ? ascii[point]! : test(point));
}

/** Whether a code point counts as part of a word for `\b`. */
export function isWord(codePoint: number): boolean {
  if (codePoint >= ASCII) return PERL.w.test(String.fromCodePoint(codePoint));
  return /\w/.test(String.fromCharCode(codePoint));
}

/** True for the stand-in of a byte that is not UTF-8. */
export function isBroken(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}

function itemTest(item: SetItem, ignoreCase: boolean): (codePoint: number) => boolean {
  if (item.type === 'range' && !ignoreCase) return (point) => point >= item.low && point <= item.high;
  const tester = testerOf(item, ignoreCase);
  const negated = item.type !== 'range' && item.negated;
  return (point) => tester.test(String.fromCodePoint(point)) !== negated;
}

// These expressions see one character at a time, so they cannot take long.
function testerOf(item: SetItem, ignoreCase: boolean): RegExp {
  if (item.type === 'perl') return PERL[item.name];
  const flags = ignoreCase ? 'iu' : 'u';
  if (item.type === 'category') return new RegExp(`^\\p{${item.name}}$`, flags);
  return new RegExp(`^[${escaped(item.low)}-${escaped(item.high)}]$`, flags);
}

function escaped(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}
