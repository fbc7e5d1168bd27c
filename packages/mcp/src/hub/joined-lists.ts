import { hasSameItems } from '@x/core/internal';

interface Join {
  readonly lists: readonly (readonly unknown[])[];
  readonly all: readonly unknown[];
}

/** By the first list. */
const joins = new WeakMap<readonly unknown[], Join[]>();
/** Servers that come and go, each for itself, would make more of them than anybody will ask for. */
const MOST_JOINS = 4;

/** The items of all lists in one: the same frozen list for the same frozen ones, as long as few others were asked for meanwhile. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const filled = lists.filter((list) => list.length > 0);
  const [first, second] = filled;
  if (!first || !filled.every(Object.isFrozen)) return filled.flat();
  if (!second) return first;
  let known = joins.get(first);
  if (!known) joins.set(first, (known = []));
  const found = known.find((one) => hasSameItems(one.lists, filled));
  if (found) return found.all as readonly T[]; // safe: made of the same lists
  const all = Object.freeze(filled.flat());
  known.unshift({ lists: filled, all });
  if (known.length > MOST_JOINS) known.pop();
  return all;
}
