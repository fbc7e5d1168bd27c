import { readFileSync } from 'node:fs';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];
type Metafile = Awaited<ReturnType<Parameters<Plugin['setup']>[0]['esbuild']['build']>>['metafile'];

/** What every package builds with; declarations come from tsc. `node` is for packages that import `node:` modules. */
export function base(options: { entry: Record<string, string>; node?: boolean }): Options {
  return {
    entry: options.entry,
    format: 'esm',
    target: 'node22',
    platform: options.node ? 'node' : 'neutral',
    dts: false,
    sourcemap: true,
    clean: true,
    removeNodeProtocol: false, // `node:sqlite` exists under no other name
  };
}

/** Makes these packages part of the build, which fails for code of a package that THIRD-PARTY-NOTICES.md does not name. */
export function bundling(packages: readonly string[]): { noExternal: string[]; esbuildPlugins: Plugin[] } {
  return { noExternal: [...packages], esbuildPlugins: [namedInNotices] };
}

const PACKAGE_NAME = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;

const namedInNotices: Plugin = {
  name: 'named-in-notices',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile }) => ({ errors: unnamed(metafile).map((name) => ({ text: noticeFor(name) })) }));
  },
};

function unnamed(metafile: Metafile | undefined): readonly string[] {
  const notices = readFileSync('THIRD-PARTY-NOTICES.md', 'utf8'); // of the package that is being built
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.keys(output.inputs));
  const names = inputs.flatMap((path) => PACKAGE_NAME.exec(path)?.[1] ?? []);
  return [...new Set(names)].filter((name) => !notices.includes(`\`${name}\``));
}

function noticeFor(name: string): string {
  return `${name} is bundled, and THIRD-PARTY-NOTICES.md does not name it: add its licence`;
}
