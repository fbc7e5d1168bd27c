import type { Options } from 'tsup';

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
