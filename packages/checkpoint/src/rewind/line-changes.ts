/** Edits above which the lines are only counted by their content. */
const MOST_EDITS = 2_000;

/** How many lines come and go from one text to the other: Myers, "An O(ND) Difference Algorithm", 1986. */
export function lineChanges(from: string, to: string): { readonly insertions: number; readonly deletions: number } {
  const [old, fresh] = [linesOf(from), linesOf(to)];
  const edits = editsBetween(old, fresh) ?? editsByCount(old, fresh);
  // Insertions and deletions differ by the lengths, and add up to the edits.
  const insertions = (edits + fresh.length - old.length) / 2;
  return { insertions, deletions: edits - insertions };
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The fewest lines to remove and to add; undefined when they are very many. */
function editsBetween(old: readonly string[], fresh: readonly string[]): number | undefined {
  const most = Math.min(old.length + fresh.length, MOST_EDITS);
  const furthest = new Int32Array(2 * most + 3); // by diagonal
  for (let edits = 0; edits <= most; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = furthest[most + diagonal + 2]!;
      const right = furthest[most + diagonal]! + 1;
      let x = diagonal === -edits || (diagonal !== edits && right - 1 < down) ? down : right;
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x++;
      furthest[most + diagonal + 1] = x;
      if (x >= old.length && x - diagonal >= fresh.length) return edits;
    }
  }
  return undefined;
}

function editsByCount(old: readonly string[], fresh: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of fresh) {
    const count = left.get(line) ?? 0;
    if (count > 0) common += 1;
    left.set(line, count - 1);
  }
  return old.length + fresh.length - 2 * common;
}
