import type { AnySchema } from './node.ts';

/** The types that a schema names, for people; undefined without any. */
export function typeNames(schema: AnySchema | undefined): string | undefined {
  const types = typesOf(schema);
  return types?.join(' or ');
}

/** The types that a schema names, `nullable` included. */
export function typesOf(schema: AnySchema | undefined): readonly string[] | undefined {
  if (typeof schema !== 'object' || schema['type'] === undefined) return undefined;
  const types = [schema['type']].flat() as string[]; // safe: inspected
  return schema['nullable'] === true && !types.includes('null') ? [...types, 'null'] : types;
}
