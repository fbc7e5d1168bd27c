import { splitArguments } from './split-arguments.ts';

/** `$ARGUMENTS`, `$1` to `$9`, or a dollar that a backslash keeps. `$10` and `$ARGUMENTS_OF` are no places. */
const PLACE = /\\\$|\$(?:ARGUMENTS(?!\w)|([1-9])(?!\d))/g;

/**
 * Fills in a command's arguments: `$ARGUMENTS` is all of them as typed, `$1` to `$9` one each (empty when missing), `\$` a dollar.
 * Arguments are not expanded again. A text without placeholders gets them appended after an empty line.
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
