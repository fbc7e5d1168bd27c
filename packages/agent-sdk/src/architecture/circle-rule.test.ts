import { describe, expect, it } from 'vitest';
import { circleRule, folderCircleRule } from './circle-rule.ts';
import type { Rule, SourceText } from './source-text.ts';

describe('circleRule', () => {
  it('reports a circle of three, one of its imports a type', () => {
    const files = [
      source('core/src/a.ts', "import { b } from './b.ts';"),
      source('core/src/b.ts', "import type { C } from './deep/c.ts';"),
      source('core/src/deep/c.ts', "export { a } from '../a.ts';"),
    ];

    expect(reports(circleRule, files)).toEqual([
      'packages/core/src/a.ts:1 circle of files: core/src/a.ts -> core/src/b.ts -> core/src/deep/c.ts -> core/src/a.ts',
    ]);
  });

  it('reports a file that imports itself', () => {
    expect(reports(circleRule, [source('core/src/a.ts', "import './a.ts';")])).toHaveLength(1);
  });

  it('accepts two ways to one file', () => {
    const files = [
      source('core/src/a.ts', "import './b.ts';\nimport './c.ts';"),
      source('core/src/b.ts', "import './c.ts';"),
      source('core/src/c.ts', ''),
    ];

    expect(reports(circleRule, files)).toEqual([]);
  });
});

describe('folderCircleRule', () => {
  const above = source('core/src/a.ts', "import { b } from './deep/b.ts';");
  const below = source('core/src/deep/b.ts', "import type { C } from '../c.ts';");

  it('reports two folders that import each other, one a type', () => {
    expect(reports(folderCircleRule, [above, below, source('core/src/c.ts', '')])).toEqual([
      'packages/core/src:1 circle of folders: core/src -> core/src/deep -> core/src',
    ]);
  });

  it('reports a circle of three folders', () => {
    const files = [
      source('core/src/one/a.ts', "import { b } from '../two/b.ts';"),
      source('core/src/two/b.ts', "import { c } from '../three/c.ts';"),
      source('core/src/three/c.ts', "import { d } from '../one/d.ts';"),
    ];

    expect(reports(folderCircleRule, files)).toHaveLength(1);
  });

  it('accepts an entry point and a test that look into a folder which stands on theirs', () => {
    const files = [
      source('core/src/index.ts', "export { b } from './deep/b.ts';"),
      source('core/src/c.test.ts', "import { b } from './deep/b.ts';"),
      below,
    ];

    expect(reports(folderCircleRule, files)).toEqual([]);
  });
});

function reports(rule: Rule, files: readonly SourceText[]): readonly string[] {
  return rule(files).map(({ path, line, message }) => `${path}:${line} ${message}`);
}

function source(path: string, text: string): SourceText {
  return { path: `packages/${path}`, text };
}
