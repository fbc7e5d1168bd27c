import { own, type SchemaNode } from './schema-node.ts';

/** What a service is told in words, because its subset has no keyword for it. */
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
