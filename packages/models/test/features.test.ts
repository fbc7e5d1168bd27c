import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAILURE_FEATURES } from './features/failure-features.ts';
import type { Feature } from './features/feature.ts';
import { PROVIDERS } from './features/providers.ts';
import { REPLY_FEATURES } from './features/reply-features.ts';
import { REQUEST_FEATURES } from './features/request-features.ts';

const FEATURES: readonly Feature[] = [...REPLY_FEATURES, ...REQUEST_FEATURES, ...FAILURE_FEATURES];
const CELLS = FEATURES.flatMap((feature) =>
  PROVIDERS.filter(({ name }) => !feature.except?.includes(name)).map((provider) => ({
    title: `${feature.name} · ${provider.name}`,
    check: () => feature.check(provider),
  })),
);

describe('a cell of the table in the README', () => {
  it.each(CELLS)('$title', async ({ check }) => {
    expect.hasAssertions();
    await check();
  });
});

describe('the table in the README', () => {
  it('says what the tests show, and nothing else', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const rows = readme.split('\n').filter((line) => line.startsWith('|'));
    const head = rows.findIndex((row) => cellsOf(row)[0] === 'feature');
    const table = rows.slice(head + 2, head + 2 + FEATURES.length).map(cellsOf);

    expect(cellsOf(rows[head] ?? '').slice(1)).toEqual(PROVIDERS.map(({ name }) => name));
    expect(table.map(([name]) => name)).toEqual(FEATURES.map(({ name }) => name));
    const shown = table.flatMap(([name, ...cells]) =>
      cells.flatMap((cell, index) => (cell === '–' ? [] : `${name} · ${PROVIDERS[index]?.name}`)),
    );
    expect(shown).toEqual(CELLS.map(({ title }) => title));
  });
});

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
