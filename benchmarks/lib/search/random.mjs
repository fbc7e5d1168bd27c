/** Numbers that look random and are the same for the same seed (mulberry32). */
export function drawer(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    next,
    below,
    /** `count` of the items, each at most once, in their order. */
    draw(items, count) {
      const places = items.map((_, place) => place);
      for (let end = places.length - 1; end > 0; end--) {
        const other = below(end + 1);
        [places[end], places[other]] = [places[other], places[end]];
      }
      return places
        .slice(0, count)
        .toSorted((one, other) => one - other)
        .map((place) => items[place]);
    },
  };
}
