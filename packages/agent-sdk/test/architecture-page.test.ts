import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { allowedImports, packagesWithoutNode } from '../src/architecture/import-table.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const packages = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'src')));

/** The cells of the rows of the table whose head begins like this, each as the names in it. */
function rowsBelow(head: string): readonly (readonly string[])[][] {
  const table = page
    .slice(page.indexOf(`| ${head}`))
    .split('\n\n')[0]!
    .split('\n')
    .slice(2);
  const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
  return table.map((row) => row.split('|').slice(1, -1).map(namesIn));
}

describe('docs/architecture.md', () => {
  it('has the packages that there are, each with what it may import', () => {
    const rows = rowsBelow('package').filter(([name]) => name![0] !== 'agent-sdk');
    const shown = Object.fromEntries(rows.map(([name, imports]) => [name![0], imports!.toSorted()]));
    const real = packages.filter((name) => name !== 'agent-sdk');
    const importsOf = (name: string) => allowedImports[name]!.filter((other) => packages.includes(other)).toSorted();

    expect(shown).toEqual(Object.fromEntries(real.map((name) => [name, importsOf(name)])));
    expect(allowedImports['agent-sdk']!.filter((name) => packages.includes(name)).toSorted()).toEqual(real.toSorted());
  });

  it('says which packages run without Node', () => {
    const said = page.match(/^(.*) import no `node:` module/m)?.[1] ?? '';

    const names = [...said.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);

    expect(new Set(names)).toEqual(new Set(packagesWithoutNode));
  });

  it('has the rooms of session that there are, and 14 files at most at its root', () => {
    const entries = readdirSync(join(root, 'packages/session/src'), { withFileTypes: true });
    const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const files = entries.filter(({ name }) => name.endsWith('.ts') && !name.includes('.test'));

    expect(new Set(rowsBelow('room').map(([name]) => name![0]))).toEqual(new Set(rooms));
    expect(files.length).toBeLessThanOrEqual(14);
  });

  it('names files that are there', () => {
    const named = [...page.matchAll(/`(packages\/[^`\s]+)`/g)].map(([, path]) => path!);

    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
