import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A block of TypeScript of a page. */
export interface CodeBlock {
  /** `README.md:12`, the line where the code begins. */
  readonly place: string;
  readonly code: string;
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'packages/*/README.md', 'examples/*/README.md', 'docs/**/*.md'];

/** The TypeScript blocks of all pages below `root`. */
export function codeBlocksBelow(root: string): readonly CodeBlock[] {
  const pages = globSync(PAGES, { cwd: root, exclude: (name) => name === 'node_modules' });
  return pages.toSorted().flatMap((page) => codeBlocks(page, readFileSync(join(root, page), 'utf8')));
}

/** The TypeScript blocks of one page. */
export function codeBlocks(page: string, text: string): readonly CodeBlock[] {
  return Array.from(text.matchAll(/^```(?:ts|typescript)[^\n]*\n(.*?)^```$/gms), ({ index, 1: code = '' }) => ({
    place: `${page}:${text.slice(0, index).split('\n').length + 1}`,
    code,
  }));
}
