export interface Replacement {
  /** Positions of the old text: in the old text when nothing was replaced, else the start of each new text in the new one. */
  readonly places: readonly number[];
  /** The inserted text, with the line ends of the file. */
  readonly newText: string;
  /** Absent when nothing was replaced: no occurrence, or several without `all`. */
  readonly text?: string;
}

/**
 * Replaces `from` by `to`, literally. A line end of `from` is one of the text, `\n` or `\r\n`, all of one place alike, and those of `to` become
 * such. Occurrences that overlap count as several.
 */
export function replaceText(
  text: string,
  { from, to, all }: { readonly from: string; readonly to: string; readonly all: boolean },
): Replacement {
  const wide = { from: withReturns(from), to: withReturns(to) };
  const forms = hasOnlyReturns(text) ? [wide] : wide.from === from ? [{ from, to }] : [{ from, to }, wide];
  const found = forms
    .flatMap((form) => placesOf(text, form.from).map((at) => ({ ...form, at })))
    .sort((one, other) => one.at - other.at);
  const newText = found[0]?.to ?? wide.to;
  if (found.length === 0 || (found.length > 1 && !all)) return { places: found.map(({ at }) => at), newText };
  const places: number[] = [];
  let replaced = '';
  let end = 0;
  for (const one of found) {
    if (one.at < end) continue;
    replaced += text.slice(end, one.at);
    places.push(replaced.length);
    replaced += one.to;
    end = one.at + one.from.length;
  }
  return { places, newText, text: replaced + text.slice(end) };
}

/** A `\n` at the beginning of the part is no half of a `\r\n`. */
function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    if (!part.startsWith('\n') || text[at - 1] !== '\r') places.push(at);
  }
  return places;
}

function hasOnlyReturns(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text);
}

function withReturns(text: string): string {
  return text.replace(/(?<!\r)\n/g, '\r\n');
}
