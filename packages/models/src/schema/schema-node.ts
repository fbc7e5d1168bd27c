import { ValidationError } from '@x/core';
import { isRecord } from '@x/errors';

/** A schema that is an object. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** The keywords of a node that were given, `undefined` being nothing given. */
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
  return schema === true || (isRecord(schema) && keywordsOf(schema).every((keyword) => ANNOTATIONS.has(keyword)));
}

/** True for `false` and `not: {}`, which refuse every value. */
export function refusesAll(schema: unknown): boolean {
  return schema === false || (isRecord(schema) && Object.hasOwn(schema, 'not') && saysNothing(schema['not']));
}

/** Keywords that refuse no value. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(
  keywordList(`
  title description $schema $id id $anchor $dynamicAnchor $comment $vocabulary $defs definitions default
  examples example readOnly writeOnly deprecated contentEncoding contentMediaType contentSchema
`),
);

/** Words with white space between them, as a list. */
export function keywordList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Keywords that a service gets in words, because its subset lacks them. */
export type Words = readonly (readonly [keyword: string, value: unknown])[];

const LONGEST = 1_000;

/** The title and the description of a node, with what else it demands. */
export function described(node: SchemaNode, words: Words = []): SchemaNode {
  const [title, description] = [own(node, 'title'), own(node, 'description')];
  const said = typeof description === 'string' ? description : '';
  const demands = words.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`).join(', ');
  const text = demands === '' ? said : `${said}${said === '' ? '' : '\n\n'}{${demands.slice(0, LONGEST)}}`;
  return { ...(typeof title === 'string' ? { title } : {}), ...(text === '' ? {} : { description: text }) };
}

/** The error for what a service's subset of JSON Schema has no words for. `pointer` is a JSON pointer (RFC 6901) into the schema given. */
export function inexpressible(pointer: string, keyword: string, reason: string): ValidationError {
  const place = pointer === '' ? 'the root of the output schema' : `${pointer} of the output schema`;
  return new ValidationError(`${keyword} at ${place} ${reason}`, 'outputFormat.schema', { pointer, keyword });
}

/** One more step of a JSON pointer. */
export function below(pointer: string, ...steps: readonly (string | number)[]): string {
  let longer = pointer;
  for (const step of steps) longer += `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return longer;
}
