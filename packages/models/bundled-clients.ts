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
  },
};
