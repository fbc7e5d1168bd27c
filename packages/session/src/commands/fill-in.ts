import { splitArguments } from './split-arguments.ts';

/** `$ARGUMENTS`, `$1` to `$9`, or a dollar that a backslash keeps. `$10` and `$ARGUMENTS_OF` are no places. */
const PLACE = /\\\$|\$(?:ARGUMENTS(?!\w)|([1-9])(?!\d))/g;

/**
 * A command's text with its arguments: `$ARGUMENTS` is all of them as they were typed, `$1` to `$9` are one each, empty where there is
 * none; `\$` is a dollar. What an argument contains is not looked at again. Where the text has no place for them, arguments follow it
 * behind an empty line.
 */
export function fillIn(text: string, rest: string): string {
  const values = splitArguments(rest);
  let hasPlace = false;
  const filled = text.replaceAll(PLACE, (place, number?: string) => {
    if (place === '\\$') return '$';
    hasPlace = true;
    return number === undefined ? rest : (values[Number(number) - 1] ?? '');
  });
  return hasPlace || rest.trim() === '' ? filled : `${filled}\n\n${rest}`;
}
