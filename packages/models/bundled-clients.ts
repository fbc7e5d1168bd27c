import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** What is used of the official clients; a dynamic import alone would keep everything that their modules export. */
const USED: Readonly<Record<string, readonly string[]>> = {
  'openai/client': ['OpenAI'],
  'openai/azure': ['AzureOpenAI'],
  '@anthropic-ai/sdk/client': ['BaseAnthropic'],
  '@anthropic-ai/sdk/resources/models': ['Models'],
  '@google/genai/web': ['GoogleGenAI'],
};
const NAMESPACE = 'used-of-client';

/** OpenAI's client makes one object per part of its API, each with its module: a megabyte, of which a request and the list of models use a quarter. */
const OPENAI_CLIENT = /[\\/]openai[\\/]client\.mjs$/;
const USED_PART = './resources/models.mjs';
const ALL_PARTS = './resources/index.mjs';
const LEFT_OUT = 'left-out-of-client';

/** Bundles of the clients what is used. */
export const bundledClients: Plugin = {
  name: 'bundled-clients',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' && Object.hasOwn(USED, path)
        ? { path, namespace: NAMESPACE, pluginData: resolveDir }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path, pluginData }) => ({
      contents: `export { ${USED[path]?.join(', ')} } from '${path}';`,
      resolveDir: String(pluginData),
    }));
    build.onResolve({ filter: /^\.\/resources\// }, ({ path, importer }) =>
      OPENAI_CLIENT.test(importer) && path !== USED_PART
        ? { path, namespace: LEFT_OUT, pluginData: importer, sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: LEFT_OUT }, ({ path, pluginData }) => ({
      contents: emptyParts(path, String(pluginData)),
      resolveDir: dirname(String(pluginData)),
    }));
  },
};

/** Empty classes under the names that the client takes from a module; for a name that is missing here the build fails. */
function emptyParts(path: string, client: string): string {
  const text = readFileSync(client, 'utf8');
  const names = path === ALL_PARTS ? made(text) : imported(text, path);
  const others = names.filter((name) => name !== 'Models');
  const models = path === ALL_PARTS ? `export { Models } from '${join(dirname(client), USED_PART)}';` : '';
  return `class LeftOut {}\nexport { ${others.map((name) => `LeftOut as ${name}`).join(', ')} };\n${models}`;
}

function made(client: string): readonly string[] {
  return [...new Set([...client.matchAll(/\bAPI\.(\w+)/g)].map(([, name]) => String(name)))];
}

function imported(client: string, path: string): readonly string[] {
  const lists = [...client.matchAll(/^import \{([^}]*)\} from ["']([^"']+)["'];/gm)].filter(
    ([, , from]) => from === path,
  );
  return lists.flatMap(([, list]) => String(list).split(',')).flatMap((item) => item.trim().split(/\s+as\s+/)[0] || []);
}
