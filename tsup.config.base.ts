import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];
type Metafile = Awaited<ReturnType<Parameters<Plugin['setup']>[0]['esbuild']['build']>>['metafile'];

export interface BuildOptions {
  readonly entry: Record<string, string>;
  /** For packages that import `node:` modules. */
  readonly node?: boolean;
  /** Packages that become part of the build, which fails for code of one that THIRD-PARTY-NOTICES.md does not name. */
  readonly bundles?: readonly string[];
  readonly plugins?: readonly Plugin[];
  /** Entries whose modules become one file. Default: `index` and `internal`, which a session loads. */
  readonly together?: readonly string[];
  /** Entries that load this file too. */
  readonly after?: readonly string[];
}

/** What every package builds with; declarations come from tsc. */
export function base(options: BuildOptions): Options {
  const { bundles, plugins = [], together = ['index', 'internal'], after = [] } = options;
  const pathsOf = (names: readonly string[]) =>
    names.flatMap((name) => options.entry[name] ?? []).map((path) => resolve(path));
  return {
    entry: options.entry,
    format: 'esm',
    target: 'node22',
    platform: options.node ? 'node' : 'neutral',
    dts: false,
    sourcemap: true,
    clean: true,
    removeNodeProtocol: false, // `node:sqlite` exists under no other name
    ...(bundles && { noExternal: [...bundles] }),
    esbuildPlugins: [oneFile(pathsOf(together), pathsOf(after)), ...plugins, ...(bundles ? [namedInNotices] : [])],
  };
}

const ALSO = 'also:';

/**
 * Puts all modules of some entries into one file. A file costs half a millisecond to load, whatever its size, and esbuild makes one for each
 * set of entries that share a module: here each of these entries, and each module that is loaded later, has all of them.
 */
function oneFile(together: readonly string[], after: readonly string[]): Plugin {
  return {
    name: 'one-file',
    setup(build) {
      const all = new Set([...together, ...after]);
      build.onResolve({ filter: /^also:/ }, ({ path }) => ({ path: path.slice(ALSO.length), sideEffects: true }));
      build.onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
        const found = resolve(resolveDir, path);
        return kind === 'entry-point' && together.includes(found) ? { path: found, sideEffects: true } : undefined;
      });
      build.onResolve({ filter: /^\.\.?\// }, ({ path, kind, resolveDir }) => {
        if (kind === 'dynamic-import') all.add(resolve(resolveDir, path));
        return undefined;
      });
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!all.has(path)) return undefined;
        const also = together.filter((one) => one !== path).map((one) => `import '${ALSO}${one}';`);
        return {
          contents: `${readFileSync(path, 'utf8')}\n${also.join('\n')}`,
          loader: 'ts',
          resolveDir: dirname(path),
        };
      });
    },
  };
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
