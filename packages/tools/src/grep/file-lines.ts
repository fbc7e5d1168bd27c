import { sleep } from '@x/core';
import type { LineMatcher } from '../pattern/line-matcher.ts';

/** A line of a file: its number from 1, and where it stands in the text, its end left out. */
export interface Line {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/** Characters walked over, and places of the program visited. */
const STEPS_PER_TURN = 1_000_000;

/** The lines of a text that match, in order; lets other work go on in between. @throws AbortError */
export async function* matchingLines(
  text: string,
  matcher: LineMatcher,
  signal: AbortSignal,
): AsyncGenerator<Line, void, void> {
  let pauseAt = matcher.work + STEPS_PER_TURN;
  for (const line of linesIn(text)) {
    if (line.from + matcher.work > pauseAt) {
      await sleep(0, signal);
      pauseAt = line.from + matcher.work + STEPS_PER_TURN;
    }
    if (matcher.matches(text, line.from, line.to)) yield line;
  }
}

/** Every line of a text, without taking it apart; `\n` and `\r\n` end a line, and one at the very end begins no other. */
export function* linesIn(text: string): Generator<Line, void, void> {
  let number = 1;
  for (let from = 0; from < text.length; number += 1) {
    const found = text.indexOf('\n', from);
    const end = found === -1 ? text.length : found;
    yield { number, from, to: end > from && found !== -1 && text[end - 1] === '\r' ? end - 1 : end };
    from = end + 1;
  }
}
