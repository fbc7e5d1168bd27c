import { ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { type LinearPattern, linearPattern } from '@x/json-schema';
import { slipOf } from '../tool-names.ts';

/** True when a matcher matches a value. */
export type Matches = (value: string) => boolean;

const NO_RULE = 'a matcher is a regular expression over the name alone, the hook looks at the input itself';

/** Converts a matcher to a test of the whole value, in linear time. @throws ValidationError for an invalid pattern */
export function matcherTest(matcher: unknown, field = 'matcher'): Matches {
  if (matcher === undefined || matcher === '' || matcher === '*') return () => true;
  if (typeof matcher !== 'string') {
    const message = `${field} must be a text with a regular expression, such as 'Bash' or 'Write|Edit'`;
    throw new ValidationError(message, field);
  }
  const whole = wholePattern(matcher, field);
  return (value) => {
    try {
      return whole.test(value);
    } catch {
      return true; // too long to be matched: a guard must not be walked around by the length of a name
    }
  };
}

/**
 * Refuses a matcher, or a name in a list of names (`Write|Edit`), that is a typo of a known value,
 * or that is written as a rule or with commas; unless `open`, also one that matches none of the values. @throws ValidationError
 */
export function checkMatched(
  matcher: string | undefined,
  field: string,
  {
    known,
    open,
    isMet: isMetLater,
  }: {
    readonly known: readonly string[];
    readonly open: boolean;
    readonly isMet?: (matcher: string, field: string) => boolean;
  },
): void {
  if (matcher === undefined || matcher === '' || matcher === '*' || known.length === 0) return;
  const matches = matcherTest(matcher, field);
  const refuse = (why: string) => new ValidationError(`${field}: ${JSON.stringify(matcher)} ${why}`, field);
  const isMet = (isMetLater?.(matcher, field) ?? false) || known.some(matches);
  if (!isMet && /^[\w-]+\(.*\)$/s.test(matcher)) {
    throw refuse(`is a rule; ${NO_RULE}`);
  }
  if (!isMet && matcher.includes(',')) throw refuse('matches nothing; names are joined by |, such as Write|Edit');
  for (const part of matcher.split('|')) {
    if (part.trim() !== part) throw refuse('holds a blank next to |, and no name has one');
    if (/^[\w-]+\([^()]*\)$/.test(part) && !known.some(matcherTest(part)))
      throw refuse(`holds the rule ${part}; ${NO_RULE}`);
  }
  const names = /^[\w|-]+$/.test(matcher) ? matcher.split('|').filter((name) => name !== '') : [];
  for (const name of names.filter((one) => !known.includes(one))) {
    const meant = slipOf(name, known);
    if (meant !== undefined) throw refuse(`does not match ${meant}; names count exactly`);
  }
  if (!isMet && !open) throw refuse(`matches nothing; known are ${known.slice(0, 50).join(', ') || 'none'}`);
}

function wholePattern(matcher: string, field: string): LinearPattern {
  try {
    linearPattern(matcher); // by itself: `a)|(b` makes sense only inside of parentheses
    return linearPattern(`^(?:${matcher})$`);
  } catch (error) {
    throw new ValidationError(`${field}: ${messageOf(error)}`, field);
  }
}
