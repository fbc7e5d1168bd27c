import { messageOf, ValidationError } from '@x/core';
import { type LinearPattern, linearPattern } from '@x/core/json-schema';

/** Whether a matcher covers a value. */
export type Matches = (value: string) => boolean;

/** A matcher as a test of the whole value, in linear time. @throws ValidationError when the pattern cannot be used */
export function matcherTest(matcher: unknown, field = 'matcher'): Matches {
  if (matcher === undefined || matcher === '' || matcher === '*') return () => true;
  if (typeof matcher !== 'string') {
    throw new ValidationError(
      `${field} must be a text with a regular expression, such as 'Bash' or 'Write|Edit'`,
      field,
    );
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

function wholePattern(matcher: string, field: string): LinearPattern {
  try {
    linearPattern(matcher); // by itself: `a)|(b` makes sense only inside of parentheses
    return linearPattern(`^(?:${matcher})$`);
  } catch (error) {
    throw new ValidationError(`${field}: ${messageOf(error)}`, field);
  }
}
