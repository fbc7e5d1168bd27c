interface Joint {
  readonly next: WeakMap<readonly unknown[], Joint>;
  all?: readonly unknown[];
}

/** Kept as long as the lists that were joined. */
const first: Joint = { next: new WeakMap() };

/** The items of all lists in one: the same list for the same ones, when they are frozen. */
export function joined<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const filled = lists.filter((list) => list.length > 0);
  if (!filled.every(Object.isFrozen)) return filled.flat();
  let joint = first;
  for (const list of filled) {
    let next = joint.next.get(list);
    if (!next) joint.next.set(list, (next = { next: new WeakMap() }));
    joint = next;
  }
  joint.all ??= Object.freeze(filled.flat());
  return joint.all as readonly T[]; // safe: made of the lists of its way
}
