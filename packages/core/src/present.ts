/** An object without the properties that would be undefined: what an optional property must be where `undefined` is no value of it. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The given properties that are not undefined. Not for hot paths: it makes a second object. */
export function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>; // safe: only these are left out
}
