import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exportedNames } from '../src/architecture/exported-names.ts';
import { readSources } from '../src/architecture/read-sources.ts';
import { guardRows } from './slips/guard-rows.ts';
import { handlerRows } from './slips/handler-rows.ts';
import { httpRows } from './slips/http-rows.ts';
import { lowerRows } from './slips/lower-rows.ts';
import { modelRows } from './slips/model-rows.ts';
import { nestedRows } from './slips/nested-rows.ts';
import { placeRows } from './slips/place-rows.ts';
import { IN_PLACE, outcomeOf, type Row } from './slips/row.ts';
import { testingRows } from './slips/testing-rows.ts';
import { upperRows } from './slips/upper-rows.ts';
import { withoutOptions } from './slips/without-options.ts';

const rows: readonly Row[] = [
  ...guardRows,
  ...lowerRows,
  ...modelRows,
  ...handlerRows,
  ...placeRows,
  ...upperRows,
  ...httpRows,
  ...testingRows,
];

/** A method is written `name()`. */
function misspelt(key: string): Record<string, unknown> {
  const name = key.replace('()', '');
  const middle = Math.floor(name.length / 2);
  const slip = `${name.slice(0, middle)}${name.slice(middle + 1)}`;
  return { [slip]: key === name ? 1 : () => undefined };
}

/** The message about a key that is not known. */
const unknownKey = (key: string): unknown =>
  expect.stringMatching(new RegExp(`: unknown ${key}; (did you mean \\w+\\? Known|known): \\w+(, \\w+)*$`));

/** An error may name the part that is wrong in place of the whole. */
const keysIn = (value: unknown) => (typeof value === 'object' && value !== null ? Object.keys(value) : []);
const given = (row: Row, options: unknown) => outcomeOf(() => row.act(options as never));
const cases = rows.flatMap((row) =>
  row.keys.map((key) => [row.name, Object.keys(misspelt(key))[0]!, key, row] as const),
);
/** Callers of methods by name look for slips only: other names are the handler's own. */
const whole = cases.filter(([, , key]) => !key.endsWith('()'));
const wrongs = rows.flatMap((row) =>
  Object.entries(row.wrong ?? {}).map(([key, value]) => [row.name, key, value, row] as const),
);
const inPlaces = rows.flatMap((row) =>
  Object.entries(IN_PLACE).map(([what, value]) => [row.name, what, value, row] as const),
);

describe('what takes options', () => {
  it('takes those that are right', async () => {
    const refused: unknown[] = [];
    for (const row of rows) {
      const error = await given(row, row.valid());
      if ((error as Error | undefined)?.name === 'ValidationError') refused.push([row.name, error]);
    }

    expect(refused).toEqual([]);
  });

  it.each(cases)('%s refuses %s', async (_, slip, key, row) => {
    const error = await given(row, { ...row.valid(), ...misspelt(key) });

    expect(error).toMatchObject({ name: 'ValidationError', message: expect.stringContaining(slip) });
  });

  it.each(whole)('%s says in one wording that it does not know %s, and where that is', async (_, slip, key, row) => {
    const error = await given(row, { ...row.valid(), ...misspelt(key) });

    expect(error).toMatchObject({ message: unknownKey(slip), field: row.path ? `${row.path}.${slip}` : slip });
  });

  it.each(nestedRows)('says of %s in the same wording that it is not known, and where it is', async (path, act) => {
    const error = await outcomeOf(() => act({ zzz: 1 }));

    expect(error).toMatchObject({ name: 'ValidationError', message: unknownKey('zzz'), field: path });
  });

  it.each(wrongs)('%s refuses a wrong %s', async (_, key, value, row) => {
    const error = await given(row, { ...row.valid(), [key]: value });

    expect(error).toMatchObject({ name: 'ValidationError' });
    const named = [key, ...keysIn(value)].some((name) => (error as Error).message.includes(name));
    expect(named || String((error as { field?: string }).field).startsWith(key)).toBe(true);
    expect((error as Error).message).toMatch(/ must be | must match |: unknown | is required$| needs a name$/);
  });

  it.each(inPlaces)('%s refuses %s in place of an object', async (_, _what, value, row) => {
    expect(await given(row, value)).toMatchObject({ name: 'ValidationError' });
  });

  it('is everything that is exported, but for what takes none', () => {
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const covered = new Set(rows.map(({ name }) => name.split(',')[0]!));
    const exported = exportedNames(readSources(root));
    const inCore = new Set(Object.values(exported.get('packages/core') ?? {}).flat());
    const open = [...exported].flatMap(([folder, entries]) => {
      const owner = folder.slice('packages/'.length);
      if (owner === 'agent-sdk') return []; // exports nothing of its own
      return Object.entries(entries).flatMap(([entry, names]) => {
        const place = join(owner, entry);
        const isElsewhere = (name: string) => owner === 'errors' && inCore.has(name);
        const values = names.filter((name) => !name.startsWith('type ') && !isElsewhere(name));
        return values.map((name) => `${place}: ${name}`).filter((name) => !covered.has(name));
      });
    });

    expect(open.toSorted()).toEqual(Object.values(withoutOptions).flat().toSorted());
  });
});
