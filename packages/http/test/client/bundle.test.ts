import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** The inputs of the bundle that a page gets, and its text. */
async function bundled(entry: string, external: string[] = []) {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@x/source'],
    external,
    metafile: true,
    write: false,
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    inputs: used.map(([path]) => path),
    imports: output!.imports.map(({ path }) => path),
    text: outputFiles[0]!.text,
  };
}
const FOREIGN = /node_modules|node:|\/(session|registry|executor|mcp|models)\/src|http\/src\/(?!client)/;

describe('the bundle of the client', () => {
  it('has no module of Node, no hono, and nothing of the server; 30 KB at most', async () => {
    const { inputs, imports, text } = await bundled('../../src/client/index.ts');

    expect(imports).toEqual([]);
    expect(inputs.filter((path) => FOREIGN.test(path))).toEqual([]);
    expect(inputs.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/from ?["']|require\(|hono/);
    expect(text.length).toBeLessThan(30_000);
  });

  it('control: that of the server has', async () => {
    const { inputs, imports } = await bundled('../../src/sessions/index.ts', [
      'node:*',
      '*.node',
      'zod',
      'playwright*',
    ]);

    expect([...inputs, ...imports].filter((path) => FOREIGN.test(path)).length).toBeGreaterThan(5);
  });
});
