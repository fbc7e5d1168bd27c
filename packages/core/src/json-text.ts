/**
 * `JSON.stringify` for what a tool returns: a Map (an object; with keys that are no texts, a list of pairs), a Set (a list) and an Error
 * (its name, its message and its own fields) have their content, which JSON leaves out. @throws TypeError as it does
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value, withContent);
}

function withContent(_: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return Object.assign({ name: value.name, message: value.message }, value);
  if (!(value instanceof Map)) return value;
  const entries = [...value] as [unknown, unknown][]; // of a map of anything
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
}
