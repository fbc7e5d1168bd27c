/** Finds names whatever their case. */
export class NamesInAnyCase {
  /** By the name in small letters; names that have no others need no entry. */
  readonly #capitals = new Map<string, Set<string>>();

  add(name: string): void {
    const small = name.toLowerCase();
    if (small === name) return;
    const same = this.#capitals.get(small);
    if (same) same.add(name);
    else this.#capitals.set(small, new Set([name]));
  }

  delete(name: string): void {
    const small = name.toLowerCase();
    const same = this.#capitals.get(small);
    same?.delete(name);
    if (same?.size === 0) this.#capitals.delete(small);
  }

  /** The name as it is written, the one in small letters, and the others in the order of their coming. Not all of them need be known. */
  like(name: string): ReadonlySet<string> {
    const small = name.toLowerCase();
    return new Set([name, small, ...(this.#capitals.get(small) ?? [])]);
  }
}
