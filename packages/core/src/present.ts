/** An object type whose properties are optional, instead of undefined, when `undefined` is not a value of them. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Removes properties that are undefined. Not for hot paths: it creates a second object. */
export function present<T extends object>(values: T): Present<T> {
  const kept: Record<string, unknown> = {};
  for (const key in values) if (values[key] !== undefined) kept[key] = values[key];
  return kept as Present<T>; // safe: only these are left out
}
