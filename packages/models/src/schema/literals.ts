import type { Dialect } from './dialect.ts';
import { described, inexpressible, listOf, type SchemaNode, typesOf, type Words } from './schema-node.ts';

/** Converts a node with `enum` or `const`. @throws ValidationError */
export function literals(node: SchemaNode, dialect: Dialect, pointer: string): SchemaNode {
  const keyword = Object.hasOwn(node, 'const') ? 'const' : 'enum';
  const types = typesOf(node);
  const given = keyword === 'const' ? [node['const']] : listOf(node['enum']);
  const values = given.filter((value) => !types || types.some((type) => isOf(value, type)));
  if (values.length === 0) throw inexpressible(pointer, keyword, 'accepts no value at all');
  if (dialect.literals === 'string or number') return plainLiterals(node, values);
  if (values.some((value) => typeof value === 'object' && value !== null)) {
    throw inexpressible(
      pointer,
      keyword,
      `lists objects or arrays, which ${dialect.service} does not take; ${dialect.advice}`,
    );
  }
  const type = dialect.typedLiterals ? { type: single(namesOf(values, types)) } : {};
  return { ...described(node), ...type, ...(keyword === 'const' ? { const: values[0] } : { enum: values }) };
}

/** Only strings and numbers can be listed: null becomes a type of its own, the rest is described in words. */
function plainLiterals(node: SchemaNode, values: readonly unknown[]): SchemaNode {
  const listed = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  const others = values.filter((value) => value !== null && !listed.includes(value as string));
  const words: Words = others.length > 0 ? [['enum', values]] : [];
  const types = typesOf(node);
  const parts: SchemaNode[] = [];
  for (const name of namesOf(listed, types)) {
    parts.push({ type: name, enum: listed.filter((value) => isOf(value, name)) });
  }
  for (const name of namesOf(others, types)) parts.push({ type: name });
  if (values.includes(null)) parts.push({ type: 'null' });
  return { ...described(node, words), ...(parts.length === 1 ? parts[0] : { anyOf: parts }) };
}

/** The types of values; numbers get the declared type. */
function namesOf(values: readonly unknown[], declared: readonly string[] | undefined): readonly string[] {
  const names = values.map((value) => {
    if (typeof value !== 'number') return nameOf(value);
    if (declared) return declared.includes('number') ? 'number' : 'integer';
    return values.every((one) => typeof one !== 'number' || Number.isInteger(one)) ? 'integer' : 'number';
  });
  return [...new Set(names)];
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return nameOf(value) === type;
}

function single(names: readonly string[]): string | readonly string[] {
  return names.length === 1 ? names[0]! : names; // there is one
}
