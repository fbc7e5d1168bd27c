import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { circleRule, folderCircleRule } from './architecture/circle-rule.ts';
import { pinnedExportsRule } from './architecture/exported-names.ts';
import { entryPointRule, importTableRule, nodeImportRule } from './architecture/import-rules.ts';
import { readBesides, readSources } from './architecture/read-sources.ts';
import { fileLengthRule, functionLengthRule } from './architecture/size-rules.ts';
import { isSource, isTest, type Rule, type SourceText } from './architecture/source-text.ts';
import { exportShapeRule, gitRule, journalWriteRule } from './architecture/syntax-rules.ts';
import { vendorRule } from './architecture/vendor-rule.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const house = readSources(root);

describe('the sources', () => {
  it('are read', () => {
    const written = house.filter((file) => isSource(file) && !isTest(file));

    expect(written.length).toBeGreaterThan(20);
  });

  it.each<[string, Rule]>([
    ['import only what the table allows', importTableRule],
    ['import packages by their entry points', entryPointRule],
    ['import no node: module where they run without Node', nodeImportRule],
    ['import packages from outside in their place and on first use', vendorRule],
    ['form no circle of files', circleRule],
    ['form no circle of folders', folderCircleRule],
    ['keep files short', fileLengthRule],
    ['keep functions short', functionLengthRule],
    ['export names one by one', exportShapeRule],
    ['await what they write to the journal', journalWriteRule],
    ['never run git', gitRule],
    ['export the pinned names', pinnedExportsRule],
  ])('%s', (_promise, rule) => {
    expect(reports(rule, house)).toEqual([]);
  });
});

describe('what is written beside the sources', () => {
  it('is kept short too', () => {
    const besides = readBesides(root);

    expect(besides.length).toBeGreaterThan(20);
    expect(reports(fileLengthRule, besides)).toEqual([]);
  });
});

describe('importTableRule', () => {
  it('reports a package above', () => {
    const found = reports(importTableRule, [
      source('core/src/a.ts', "import type { ToolRegistry } from '@x/registry';"),
    ]);

    expect(found).toEqual(['packages/core/src/a.ts:1 core may not import registry; see import-table.ts']);
  });

  it.each([
    ["export { a } from '@x/session';"],
    ["export type { A } from '@x/session';"],
    ["export * from '@x/session';"],
    ["const a = await import('@x/session');"],
    ["let a: import('@x/session').A;"],
    ["import '@x/session';"],
    ["import { a } from '@x/handlers';"],
  ])('reports %s in handlers', (text) => {
    expect(reports(importTableRule, [source('handlers/src/a.ts', text)])).toHaveLength(1);
  });

  it('reports a package that the table does not know', () => {
    expect(reports(importTableRule, [source('extra/src/a.ts', "import { a } from '@x/core';")])).toHaveLength(1);
  });

  it('accepts a package below', () => {
    expect(reports(importTableRule, [source('executor/src/a.ts', "import { a } from '@x/handlers';")])).toEqual([]);
  });
});

describe('entryPointRule', () => {
  const core = file('packages/core/package.json', '{ "name": "@x/core", "exports": { ".": {}, "./testing": {} } }');

  it.each([
    ["import { a } from '@x/core/src/errors.ts';"],
    ["import { a } from '@x/core/errors';"],
    ["import { a } from '../../core/src/errors.ts';"],
    ["import { a } from '@x/core/testing';"],
  ])('reports %s in a source', (text) => {
    expect(reports(entryPointRule, [core, source('tools/src/a.ts', text)])).toHaveLength(1);
  });

  it('accepts the test kit of another package in tests and test kits', () => {
    const text = "import { a } from '@x/core/testing';";
    const files = [core, source('tools/src/a.test.ts', text), source('models/src/testing/a.ts', text)];

    expect(reports(entryPointRule, files)).toEqual([]);
  });
});

describe('nodeImportRule', () => {
  it('reports a node: import in core, also of types', () => {
    const text = "import type { Stats } from 'node:fs';";

    expect(reports(nodeImportRule, [source('core/src/a.ts', text)])).toHaveLength(1);
    expect(reports(nodeImportRule, [source('handlers/src/hooks/run-hook.ts', text)])).toHaveLength(1);
  });

  it('accepts it in sandbox', () => {
    const files = [source('sandbox/src/a.ts', "import 'node:fs';")];

    expect(reports(nodeImportRule, files)).toEqual([]);
  });
});

describe('vendorRule', () => {
  it.each([
    ['models/src/a.ts', "import OpenAI from 'openai';", 'at import'],
    ['models/src/a.ts', "export { OpenAI } from 'openai';", 'at import'],
    ['models/src/a.ts', "import 'openai';", 'at import'],
    ['session/src/a.ts', "const { OpenAI } = await import('openai');", 'belongs to models'],
    ['session/src/a.ts', "import type { OpenAI } from 'openai';", 'belongs to models'],
    ['core/src/schema.ts', "import { z } from 'zod';", 'as a type only'],
    ['core/src/schema.ts', "const { z } = await import('zod');", 'as a type only'],
    ['core/src/schema.ts', "import { Ajv } from 'ajv/dist/2020.js';", 'belongs to json-schema'],
    ['core/src/schema.ts', "import pad from 'left-pad';", 'not in the table'],
    ['core/src/schema.ts', "import a from 'constructor';", 'not in the table'],
    ['core/src/schema.ts', "import { it } from 'vitest';", 'not in the table'],
  ])('reports in %s: %s', (path, text, reason) => {
    expect(reports(vendorRule, [source(path, text)])).toEqual([expect.stringContaining(reason)]);
  });

  it('accepts types anywhere in the place and the client on first use', () => {
    const text = "import type OpenAI from 'openai';\nexport const load = async () => await import('openai');";

    expect(reports(vendorRule, [source('models/src/openai-chat/a.ts', text)])).toEqual([]);
  });
});

describe('fileLengthRule', () => {
  it('reports line 301', () => {
    expect(reports(fileLengthRule, [source('core/src/a.ts', '\n'.repeat(301))])).toHaveLength(1);
    expect(reports(fileLengthRule, [source('core/src/a.test.ts', '\n'.repeat(301))])).toHaveLength(1);
    expect(reports(fileLengthRule, [source('core/src/a.ts', '\n'.repeat(300))])).toEqual([]);
  });
});

describe('functionLengthRule', () => {
  const body = (lines: number): string => `{${'\n'.repeat(lines - 1)}}`;

  it.each([
    [`export function settle() ${body(61)}`, "'settle'"],
    [`export const settle = async () => ${body(61)};`, "'settle'"],
    [`export class Run { async *stream() ${body(61)} }`, "'stream'"],
    [`export default { run: function () ${body(61)} };`, "'run'"],
    [`call(() => ${body(61)});`, 'a function'],
  ])('reports a function of 61 lines', (text, name) => {
    expect(reports(functionLengthRule, [source('core/src/a.ts', text)])).toEqual([
      expect.stringContaining(`${name} has 61`),
    ]);
  });

  it('accepts 60 lines, braces in strings and a long contract of a test kit', () => {
    const files = [
      source('core/src/a.ts', `export function settle() ${body(60)}\nexport const brace = '{';${'\n'.repeat(70)}`),
      source('core/src/testing/a.ts', `export function contract() { it('holds', () => {});${'\n'.repeat(70)}}`),
    ];

    expect(reports(functionLengthRule, files)).toEqual([]);
  });
});

describe('exportShapeRule', () => {
  it.each([
    ["export * from './a.ts';"],
    ["export * as a from './a.ts';"],
    ["export type * from './a.ts';"],
    ['export default 1;'],
    ['const enum A { B }'],
    ['export enum A { B }'],
    ['declare namespace A {}'],
    ["declare module 'a' {}"],
  ])('reports %s', (text) => {
    expect(reports(exportShapeRule, [source('core/src/index.ts', text)])).toHaveLength(1);
  });

  it('accepts export * in the umbrella', () => {
    expect(reports(exportShapeRule, [source('agent-sdk/src/index.ts', "export * from '@x/core';")])).toEqual([]);
  });
});

describe('journalWriteRule', () => {
  it.each([
    ['run.journal.write(record);'],
    ['void run.journal.write(record);'],
    ['this.#journal.write(record).catch(log);'],
    ['const written = journal.write(record);'],
    ['const written = journal.write(record); await other;'],
    ['const written = journal.write(record); written.catch(() => undefined);'],
    ['run.journal?.write(record);'],
  ])('reports %s', (text) => {
    const inside = `class A { #journal; async m(run, journal, record) { ${text} } }`;

    expect(reports(journalWriteRule, [source('executor/src/a.ts', inside)])).toHaveLength(1);
  });

  it.each([
    ['await run.journal.write(record);'],
    ['return run.journal?.write(record);'],
    ['return () => journal.write(record);'],
    ['const written = journal.write(record); await written;'],
    ['let written; written = run.journal.write(record); await written;'],
    ['output.write(bytes);'],
  ])('accepts %s', (text) => {
    const inside = `async function m(run, journal, record) { ${text} }`;

    expect(reports(journalWriteRule, [source('executor/src/a.ts', inside)])).toEqual([]);
  });
});

describe('gitRule', () => {
  it.each([
    ["spawn('git', ['status']);"],
    ["child.execFileSync('/usr/bin/git', []);"],
    ["childProcess.exec('git status');"],
    ['execSync(`git diff ${path}`);'],
    ["spawn('sh', ['-c', 'git stash']);"],
    ["context.workspace.spawn('git status', { signal });"],
  ])('reports %s', (text) => {
    expect(reports(gitRule, [source('checkpoint/src/a.ts', text)])).toHaveLength(1);
  });

  it.each([["spawn('gitignore-parser');"], ["pattern.exec('git status');"], ["const rule = 'Bash(git *)';"]])(
    'accepts %s',
    (text) => {
      expect(reports(gitRule, [source('checkpoint/src/a.ts', text)])).toEqual([]);
    },
  );
});

function source(path: string, text: string): SourceText {
  return file(`packages/${path}`, text);
}

function file(path: string, text: string): SourceText {
  return { path, text };
}

function reports(rule: Rule, files: readonly SourceText[]): readonly string[] {
  return rule(files).map(({ path, line, message }) => `${path}:${line} ${message}`);
}
