import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAILURE_FEATURES } from './features/failure-features.ts';
import type { Feature } from './features/feature.ts';
import { OPTION_FEATURES, REFUSED_CELLS } from './features/option-features.ts';
import { PROVIDERS } from './features/providers.ts';
import { REPLY_FEATURES } from './features/reply-features.ts';
import { REQUEST_FEATURES } from './features/request-features.ts';

const FEATURES: readonly Feature[] = [...REPLY_FEATURES, ...REQUEST_FEATURES, ...FAILURE_FEATURES];
const cellsFor = (features: readonly Feature[]) =>
  features.flatMap((feature) =>
    PROVIDERS.filter(({ name }) => !feature.except?.includes(name)).map((provider) => ({
      title: `${feature.name} · ${provider.name}`,
      check: () => feature.check(provider),
    })),
  );

describe('a cell of the tables in the README', () => {
  it.each(cellsFor([...FEATURES, ...OPTION_FEATURES]))('$title', async ({ check }) => {
    expect.hasAssertions();
    await check();
  });

  it.each(REFUSED_CELLS)('is empty, and the option refused by name: $title', ({ title, refuse }) => {
    const [row = '', name] = title.split(' · ');
    const provider = PROVIDERS.find((one) => one.name === name)!; // each cell is of one of them
    const field = `modelOptions.${/`(\w+)/.exec(row)?.[1]}`;

    expect(() => refuse(provider)).toThrow(expect.objectContaining({ name: 'ValidationError', field }));
    expect(() => refuse(provider)).toThrow(provider.model);
  });
});

describe('the tables in the README', () => {
  it.each([
    ['feature', FEATURES],
    ['option', OPTION_FEATURES],
  ] as const)('say what the tests show, and nothing else: %s', (heading, features) => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const rows = readme.split('\n').filter((line) => line.startsWith('|'));
    const isHead = (row: string) => cellsOf(row)[0] === heading && cellsOf(row)[1] === PROVIDERS[0]?.name;
    const head = rows.findIndex(isHead);
    const table = rows.slice(head + 2, head + 2 + features.length).map(cellsOf);

    expect(cellsOf(rows[head] ?? '').slice(1)).toEqual(PROVIDERS.map(({ name }) => name));
    expect(table.map(([name]) => name)).toEqual(features.map(({ name }) => name));
    const shown = table.flatMap(([name, ...cells]) =>
      cells.flatMap((cell, index) => (cell === '–' ? [] : `${name} · ${PROVIDERS[index]?.name}`)),
    );
    expect(shown).toEqual(cellsFor(features).map(({ title }) => title));
  });
});

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
