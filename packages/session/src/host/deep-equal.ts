/** `isDeepStrictEqual` of Node. An import would load all that its module names, at the start of every program. */
export function isDeepEqual(one: unknown, other: unknown): boolean {
  return process.getBuiltinModule('node:util').isDeepStrictEqual(one, other);
}
