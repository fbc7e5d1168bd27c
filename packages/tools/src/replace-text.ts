export interface Replacement {
  /** Positions of the old text: in the old text when nothing was replaced, else the start of each new text in the new one. */
  readonly places: readonly number[];
  /** The inserted text, with the line ends of the file. */
  readonly newText: string;
  /** Absent when nothing was replaced: no occurrence, or several without `all`. */
  readonly text?: string;
}

/**
 * Replaces `from` by `to`, literally. If every line of the text ends with `\r\n`, or nothing matches as given, line ends of both are
 * converted to `\r\n`. Occurrences that overlap count as several.
 */
export function replaceText(
  text: string,
  { from, to, all }: { readonly from: string; readonly to: string; readonly all: boolean },
): Replacement {
  const first = hasOnlyReturns(text) ? { from: withReturns(from), to: withReturns(to) } : { from, to };
  let places = placesOf(text, first.from);
  let used = first;
  if (places.length === 0) {
    used = { from: withReturns(from), to: withReturns(to) };
    places = placesOf(text, used.from);
  }
  if (places.length === 0 || (places.length > 1 && !all)) return { places, newText: used.to };
  const apart = withoutOverlaps(places, used.from.length);
  const grown = used.to.length - used.from.length;
  return {
    places: apart.map((place, index) => place + index * grown),
    newText: used.to,
    text: text.split(used.from).join(used.to),
  };
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

function withoutOverlaps(places: readonly number[], length: number): number[] {
  let end = 0;
  return places.filter((place) => {
    if (place < end) return false;
    end = place + length;
    return true;
  });
}

function hasOnlyReturns(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text);
}

function withReturns(text: string): string {
  return text.replace(/(?<!\r)\n/g, '\r\n');
}
