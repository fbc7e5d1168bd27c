import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageFiles } from '../../src/pages/page-files.ts';

const folder = new URL('../../page/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const names = readdirSync(folder).toSorted();

describe('the files of the pages', () => {
  it('are in the package as they are in the folder: node scripts/update-pages.mjs', () => {
    const read = Object.fromEntries(names.map((name) => [name, textOf(name)]));

    expect(pageFiles).toEqual(read);
  });

  it.each(names)('%s is short, and refers to nothing elsewhere', (name) => {
    const text = textOf(name);

    expect(text.split('\n').length).toBeLessThanOrEqual(300);
    expect(text).not.toMatch(/https?:\/\/|url\(|@import/);
  });

  it.each(names)(
    '%s reads nothing as markup, and has no script or style of the kind that the policy refuses',
    (name) => {
      const text = textOf(name);

      expect(text).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|localStorage|\bcookie\b/,
      );
      expect(text).not.toMatch(/<style|<script(?! type="module" src=)|\sstyle="|\son\w+="/);
    },
  );
});
