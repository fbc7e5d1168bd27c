import { own, type SchemaNode } from './schema-node.ts';

/** Keywords that a service's subset lacks, described in words instead. */
export type Words = readonly (readonly [keyword: string, value: unknown])[];

const LONGEST = 1_000;

/** The title and the description of a node, with its other constraints. */
export function described(node: SchemaNode, words: Words = []): SchemaNode {
  const [title, description] = [own(node, 'title'), own(node, 'description')];
  const said = typeof description === 'string' ? description : '';
  const demands = words.map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`).join(', ');
  const text = demands === '' ? said : `${said}${said === '' ? '' : '\n\n'}{${demands.slice(0, LONGEST)}}`;
  return { ...(typeof title === 'string' ? { title } : {}), ...(text === '' ? {} : { description: text }) };
}
