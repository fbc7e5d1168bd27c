/** Least number of characters for which the beginning of a name is a match. */
const TELLING = 3;
/** Maximum number of edits between similar names. */
const FEW = 3;

/**
 * The known name that begins with `name`, else the one with the fewest edits from it; ignoring case (Wagner and Fischer 1974). Undefined
 * when that takes more than `atMost` edits, or more than about half of the longer name: a distant guess misleads.
 */
export function nearestName(name: string, known: readonly string[], atMost: number = FEW): string | undefined {
  const start = name.slice(0, 64).toLowerCase();
  const begun = known.find((candidate) => start.length >= TELLING && candidate.toLowerCase().startsWith(start));
  if (begun !== undefined) return begun;
  let nearest: string | undefined;
  let fewest = atMost + 1;
  for (const candidate of known) {
    const edits = editsBetween(start, candidate.toLowerCase());
    if (edits >= fewest || edits * 2 > Math.max(start.length, candidate.length) + 1) continue;
    nearest = candidate;
    fewest = edits;
  }
  return nearest;
}

/** The end of a message about an unknown name: `did you mean limit? Known: page, limit`, without a guess when no name is near. */
export function knownNames(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `known: ${known.join(', ')}` : `did you mean ${nearest}? Known: ${known.join(', ')}`;
}

function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1); // rows are as long as `other`
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
