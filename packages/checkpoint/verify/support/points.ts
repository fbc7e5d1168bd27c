/** As many as these, the first and the last among them. */
export function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from(
    { length: most },
    (_, index) => all[Math.round((index * (all.length - 1)) / Math.max(1, most - 1))]!,
  );
}

/** Calls with each of them, as many at a time as there are places. */
export async function atEach<T, P>(
  all: readonly T[],
  places: readonly P[],
  act: (one: T, place: P) => Promise<void>,
): Promise<void> {
  const left = [...all];
  const work = async (place: P) => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await act(one, place);
  };
  await Promise.all(places.map(work));
}
