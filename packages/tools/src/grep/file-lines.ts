import { sleep } from '@x/core';
import type { LinePattern } from './line-pattern.ts';

/** A line of a file: its number from 1, and its position in the text, without its end. */
export interface Line {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

const MS_PER_TURN = 20;
/** Characters between two checks of the clock. */
const CHARACTERS_PER_LOOK = 16_384;

/** The matching lines of a text, in order; lets other work run in between. @throws AbortError */
export async function* matchingLines(
  text: string,
  pattern: LinePattern,
  signal: AbortSignal,
): AsyncGenerator<Line, void, void> {
  let turnBegan = performance.now();
  let lookAt = CHARACTERS_PER_LOOK;
  for (const line of linesIn(text)) {
    if (line.from >= lookAt) {
      lookAt = line.from + CHARACTERS_PER_LOOK;
      if (performance.now() - turnBegan >= MS_PER_TURN) {
        await sleep(0, signal);
        turnBegan = performance.now();
      }
    }
    if (pattern.test(text.slice(line.from, line.to))) yield line;
  }
}

/**
 * Every line of a text, without splitting it; `\n` and `\r\n` end a line, and one at the very end begins no other.
 */
export function* linesIn(text: string): Generator<Line, void, void> {
  let number = 1;
  for (let from = 0; from < text.length; number += 1) {
    const found = text.indexOf('\n', from);
    const end = found === -1 ? text.length : found;
    yield { number, from, to: end > from && found !== -1 && text[end - 1] === '\r' ? end - 1 : end };
    from = end + 1;
  }
}
