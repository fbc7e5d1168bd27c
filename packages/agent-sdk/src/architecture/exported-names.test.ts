import { describe, expect, it } from 'vitest';
import { exportedNames, pinnedExportsRule } from './exported-names.ts';
import type { SourceText } from './source-text.ts';

describe('pinnedExportsRule', () => {
  const manifest = (name: string): SourceText =>
    file(
      `packages/${name}/package.json`,
      `{ "name": "@x/${name}", "exports": { ".": { "@x/source": "./src/index.ts" } } }`,
    );
  const pin = (name: string, names: readonly string[]): SourceText =>
    file(`packages/${name}/etc/exports.json`, JSON.stringify({ '.': names }));
  const index = source(
    'core/src/index.ts',
    "export { a, type B } from './a.ts';\nexport type { C } from './c.ts';\nexport const d = 1;",
  );

  it('reports names gained and lost, and a type that became a value', () => {
    const files = [manifest('core'), index, pin('core', ['a', 'B', 'type C', 'e'])];

    expect(reports(files)).toEqual([
      "packages/core/etc/exports.json:1 '.' gained type B, '.' gained d, '.' lost B, '.' lost e; if this is meant, run: node scripts/update-exports.mjs",
    ]);
  });

  it('reports a package without a pin and an entry point without a file', () => {
    expect(reports([manifest('core'), index])).toHaveLength(1);
    expect(reports([manifest('core'), pin('core', [])])).toHaveLength(1);
  });

  it('follows export * of the umbrella into the packages', () => {
    const umbrella = source('agent-sdk/src/index.ts', "export * from '@x/core';");
    const names = ['a', 'type B', 'type C', 'd'];
    const files = [
      manifest('core'),
      index,
      pin('core', names),
      manifest('agent-sdk'),
      umbrella,
      pin('agent-sdk', names),
    ];

    expect(reports(files)).toEqual([]);
  });
});

describe('exportedNames', () => {
  const exportsOf = (text: string, ...more: readonly SourceText[]) => {
    const exports = {
      '.': { '@x/source': './src/index.ts' },
      './package.json': './package.json',
      './old': { types: './x.d.ts' },
    };
    const manifest = file('packages/core/package.json', JSON.stringify({ name: '@x/core', exports }));
    const bare = file('packages/extra/package.json', '{ "name": "@x/extra" }');
    return exportedNames([manifest, bare, source('core/src/index.ts', text), ...more]).get('packages/core')?.['.'];
  };

  it.each([
    ['export default 1;', ['default']],
    ['export interface A {}', ['type A']],
    ['export type A = string;', ['type A']],
    ['export function a() {}', ['a']],
    ['export class A {}', ['A']],
    ['export const a = 1, b = 2;', ['a', 'b']],
    ["export { a as 'b-c' } from './a.ts';", ['b-c']],
    ["export * as all from './a.ts';", ['all']],
    ["import { a } from './a.ts';\na();", []],
    ["export * from '@x/nothing';", ['missing entry point @x/nothing']],
    ["export * from './a.ts';", ['missing file packages/core/src/a.ts']],
  ])('reads %s', (text, names) => {
    expect(exportsOf(text)).toEqual(names);
  });

  it('follows export * into a neighbour', () => {
    expect(
      exportsOf("export * from './a.ts';", source('core/src/a.ts', 'export type B = 1;\nexport const a = 1;')),
    ).toEqual(['type B', 'a']);
  });
});

function source(path: string, text: string): SourceText {
  return file(`packages/${path}`, text);
}

function file(path: string, text: string): SourceText {
  return { path, text };
}

function reports(files: readonly SourceText[]): readonly string[] {
  return pinnedExportsRule(files).map(({ path, line, message }) => `${path}:${line} ${message}`);
}
