type Picture = Readonly<Record<string, string>>;

/** The paths that the user has changed last, and what a rewind has done to them. */
export class UsersPaths {
  readonly #users = new Set<string>();
  /** By path: what the last call has left. */
  readonly #ofCalls = new Map<string, string | undefined>();

  note(before: Picture, after: Picture, isUser: boolean): void {
    for (const path of unlike(before, after)) {
      if (isUser) this.#users.add(path);
      else {
        this.#users.delete(path);
        this.#ofCalls.set(path, after[path]);
      }
    }
  }

  /** Lists the user's paths that a rewind has changed. One that the user has brought back to what a call had left counts as the call's. */
  touched(end: Picture, now: Picture): string[] {
    return unlike(end, now).filter(
      (path) =>
        this.#users.has(path) &&
        !(this.#ofCalls.has(path) && this.#ofCalls.get(path) === end[path]) &&
        !this.#isRemade(path, end, now),
    );
  }

  /** A directory that the user has removed is made again for what comes back into it. */
  #isRemade(path: string, end: Picture, now: Picture): boolean {
    const isDirectoryAgain = end[path] === undefined && now[path]?.startsWith('directory') === true;
    return isDirectoryAgain && Object.keys(now).some((one) => one.startsWith(`${path}/`) && !this.#users.has(one));
  }
}

export function unlike(one: Picture, other: Picture): string[] {
  return Object.keys({ ...one, ...other }).filter((path) => one[path] !== other[path]);
}
