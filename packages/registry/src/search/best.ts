/** Slots of documents, and the criteria of their order. */
export interface Ranked {
  readonly slots: readonly number[];
  /** By slot. */
  readonly scores: Float64Array;
  /** Orders equal scores: the lower one comes first. */
  readonly placeOf: (slot: number) => number;
}

/** The slots of the `limit` highest scores in order. */
export function best({ slots, scores, placeOf }: Ranked, limit: number): number[] {
  const order = (one: number, other: number) => scores[other]! - scores[one]! || placeOf(one) - placeOf(other); // each slot has a score
  if (slots.length <= 4 * limit) return slots.toSorted(order).slice(0, limit);
  const found: number[] = [];
  for (const slot of slots) {
    if (found.length === limit) {
      if (order(found[limit - 1]!, slot) < 0) continue; // mostly so
      found.pop();
    }
    let at = found.length;
    while (at > 0 && order(slot, found[at - 1]!) < 0) at -= 1; // below the length
    found.splice(at, 0, slot);
  }
  return found;
}
