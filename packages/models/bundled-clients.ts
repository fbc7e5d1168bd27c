import { readFileSync } from 'node:fs';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];
type Metafile = Awaited<ReturnType<Parameters<Plugin['setup']>[0]['esbuild']['build']>>['metafile'];

/** What is used of the official clients; a dynamic import alone would keep everything that their modules export. */
const USED: Readonly<Record<string, readonly string[]>> = {
  'openai/client': ['OpenAI'],
  'openai/azure': ['AzureOpenAI'],
  '@anthropic-ai/sdk/client': ['BaseAnthropic'],
  '@anthropic-ai/sdk/resources/models': ['Models'],
  '@google/genai/web': ['GoogleGenAI'],
};
const PACKAGE_NAME = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const NAMESPACE = 'used-of-client';

/** Bundles of the clients what is used, and fails for code of a package that THIRD-PARTY-NOTICES.md does not name. */
export const bundledClients: Plugin = {
  name: 'bundled-clients',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onResolve({ filter: /./ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' && Object.hasOwn(USED, path)
        ? { path, namespace: NAMESPACE, pluginData: resolveDir }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: NAMESPACE }, ({ path, pluginData }) => ({
      contents: `export { ${USED[path]?.join(', ')} } from '${path}';`,
      resolveDir: String(pluginData),
    }));
    build.onEnd(({ metafile }) => ({ errors: unnamed(metafile).map((name) => ({ text: noticeFor(name) })) }));
  },
};

function unnamed(metafile: Metafile | undefined): readonly string[] {
  const notices = readFileSync(new URL('THIRD-PARTY-NOTICES.md', import.meta.url), 'utf8');
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.keys(output.inputs));
  const names = inputs.flatMap((path) => PACKAGE_NAME.exec(path)?.[1] ?? []);
  return [...new Set(names)].filter((name) => !notices.includes(`\`${name}\``));
}

function noticeFor(name: string): string {
  return `${name} is bundled, and THIRD-PARTY-NOTICES.md does not name it: add its licence`;
}
