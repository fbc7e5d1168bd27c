/** The way from `name` over its dependencies back to itself, when there is one. */
export function findCircle(
  name: string,
  dependencies: readonly string[],
  dependenciesOf: (name: string) => readonly string[],
): readonly string[] | undefined {
  const waiting = dependencies.map((next) => [name, next]);
  const seen = new Set<string>();
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    const last = path.at(-1) ?? name;
    if (last === name) return path;
    if (seen.has(last)) continue;
    seen.add(last);
    for (const next of dependenciesOf(last)) waiting.push([...path, next]);
  }
  return undefined;
}
