import { keywordList } from './keyword-list.ts';
/** A schema that is an object. */
export type SchemaNode = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keywords of a node whose value is not `undefined`. */
export function keywordsOf(node: SchemaNode): readonly string[] {
  return Object.keys(node).filter((keyword) => node[keyword] !== undefined);
}

export function own(node: SchemaNode, keyword: string): unknown {
  return Object.hasOwn(node, keyword) ? node[keyword] : undefined;
}

/** The schemas of a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The types that a node names; undefined without `type`. */
export function typesOf(node: SchemaNode): readonly string[] | undefined {
  const type = own(node, 'type');
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : undefined;
}

/** True for `true` and `{}` in all their forms, which accept every value. */
export function saysNothing(schema: unknown): boolean {
  return schema === true || (isNode(schema) && keywordsOf(schema).every((keyword) => ANNOTATIONS.has(keyword)));
}

/** True for `false` and `not: {}`, which refuse every value. */
export function refusesAll(schema: unknown): boolean {
  return schema === false || (isNode(schema) && Object.hasOwn(schema, 'not') && saysNothing(schema['not']));
}

/** Keywords that refuse no value. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  keywordList(`
  title description $schema $id id $anchor $dynamicAnchor $comment $vocabulary $defs definitions default
  examples example readOnly writeOnly deprecated contentEncoding contentMediaType contentSchema
`),
);
