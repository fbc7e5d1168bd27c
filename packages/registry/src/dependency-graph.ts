/** The dependencies of tools, by name; a name may be a dependency before its tool exists. */
export class DependencyGraph {
  readonly #needs = new Map<string, readonly string[]>();
  /** The tools that depend on it, in the order of their registration. */
  readonly #neededBy = new Map<string, Set<string>>();

  set(name: string, needs: readonly string[] = []): void {
    this.delete(name);
    if (needs.length === 0) return;
    this.#needs.set(name, needs);
    for (const one of needs) {
      const dependents = this.#neededBy.get(one);
      if (dependents) dependents.add(name);
      else this.#neededBy.set(one, new Set([name]));
    }
  }

  delete(name: string): void {
    for (const one of this.#needs.get(name) ?? []) {
      const dependents = this.#neededBy.get(one);
      dependents?.delete(name);
      if (dependents?.size === 0) this.#neededBy.delete(one);
    }
    this.#needs.delete(name);
  }

  dependentsOf(name: string): readonly string[] {
    return [...(this.#neededBy.get(name) ?? [])];
  }

  /** The path from `name` over `needs` back to itself, if there is one. */
  circle(name: string, needs: readonly string[] = []): readonly string[] | undefined {
    if (needs.includes(name)) return [name, name];
    if (needs.length === 0 || !this.#neededBy.has(name) || !this.#mayMeet(name, needs)) return undefined;
    const cameFrom = new Map(needs.map((one) => [one, name]));
    for (const one of cameFrom.keys()) {
      for (const next of this.#needs.get(one) ?? []) {
        if (next === name) return wayBack(name, one, cameFrom);
        if (!cameFrom.has(next)) cameFrom.set(next, one); // a Map is walked over what is added meanwhile
      }
    }
    return undefined;
  }

  /**
   * Walks down from the dependencies and up from `name` alternately, so that the smaller side decides: registration stays cheap with many
   * tools.
   */
  #mayMeet(name: string, needs: readonly string[]): boolean {
    const below = new Set(needs);
    const above = new Set([name]);
    const [down, up] = [below.values(), above.values()];
    for (;;) {
      const lower = down.next();
      if (lower.done) return false;
      if (above.has(lower.value)) return true;
      for (const next of this.#needs.get(lower.value) ?? []) below.add(next);
      const upper = up.next();
      if (upper.done) return false;
      if (below.has(upper.value)) return true;
      for (const next of this.#neededBy.get(upper.value) ?? []) above.add(next);
    }
  }
}

function wayBack(name: string, last: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [name];
  for (let at: string | undefined = last; at !== undefined && at !== name; at = cameFrom.get(at)) way.unshift(at);
  return [name, ...way];
}
