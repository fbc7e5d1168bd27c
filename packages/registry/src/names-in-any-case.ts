/** Finds names whatever their case. */
export class NamesInAnyCase {
  /** By the name in lower case; names that are all lower case need no entry. */
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

  /** The name itself, its lower case form, and the others in the order of registration. Not all of them need be known. */
  like(name: string): ReadonlySet<string> {
    const small = name.toLowerCase();
    return new Set([name, small, ...(this.#capitals.get(small) ?? [])]);
  }
}
