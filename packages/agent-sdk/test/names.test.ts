import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exportedNames } from '../src/architecture/exported-names.ts';
import { readSources } from '../src/architecture/read-sources.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const exported = exportedNames(readSources(root)).get('packages/agent-sdk')?.['.'] ?? [];
const page = 'docs/names.md';
const listed = [...read(page).matchAll(/`([A-Za-z_]+)`/g)].map(([, name]) => name!);
const written = globSync(['README.md', 'docs/*.md', 'packages/*/README.md', 'examples/*/*.{md,ts}'], { cwd: root });
const pages = written.filter((path) => path !== page);

describe('the names of the umbrella', () => {
  it('are 300 at most, and all are on the page that lists them by job, once', () => {
    const names = exported.map((name) => name.replace('type ', ''));

    expect(names.length).toBeGreaterThan(200);
    expect(names.length).toBeLessThanOrEqual(300);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  it('have a use in a README or an example, where they are values', () => {
    const words = new Set(pages.flatMap((path) => read(path).match(/\w+/g) ?? []));
    const unused = exported.filter((name) => !name.startsWith('type ') && !words.has(name));

    expect(unused).toEqual([]);
  });
});

describe('what only packages of the SDK take', () => {
  it('is shown on no page and in no example', () => {
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((path) => /@x\/[a-z-]+\/internal/.test(read(path)))).toEqual([]);
  });
});
