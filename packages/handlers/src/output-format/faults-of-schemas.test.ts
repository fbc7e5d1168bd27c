import type { Schema } from '@x/core';
import type { AnyStandardSchema } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { lineOf, validateOutput } from './validate-output.ts';

const running = { signal: new AbortController().signal };
async function linesFor(schema: Parameters<typeof validateOutput>[0]) {
  const validated = await validateOutput(schema, {}, running);
  return validated && 'issues' in validated ? validated.issues.map(lineOf) : validated;
}
/** A schema of no vendor we know, which finds this. */
function finding(...issues: readonly object[]): AnyStandardSchema {
  const validate = () => ({ issues: issues as never });
  return { '~standard': { version: 1, vendor: 'own', validate } };
}
function throwing(thrown: unknown): Schema {
  return {
    json: {},
    parse() {
      throw thrown;
    },
  };
}

describe('what a standard schema finds', () => {
  it.each<[string, object, string]>([
    ['keys alone', { path: ['items', 0, 'name'] }, 'items[0].name: is wrong'],
    ['keys in objects', { path: [{ key: 'items' }, { key: 0 }, { key: 'name' }] }, 'items[0].name: is wrong'],
    ['both', { path: [{ key: 'items' }, 0] }, 'items[0]: is wrong'],
    ['no keys', { path: [] }, 'is wrong'],
    ['nothing', {}, 'is wrong'],
  ])('is told with its place, given as %s', async (_, place, line) => {
    expect(await linesFor(finding({ ...place, message: 'is wrong' }))).toEqual([line]);
  });

  it.each<[string, unknown, string]>([
    [
      'what each alternative lacks',
      [[{ message: 'is no text' }], [{ message: 'is no list' }]],
      ': either a: is no text; or a: is no list',
    ],
    ['nothing of alternatives, where there are none', [], ''],
    ['nothing of alternatives that are no lists', ['one', { message: 'two' }], ''],
    ['nothing of what is no list of them', 'one', ''],
  ])('tells %s', async (_, errors, more) => {
    expect(await linesFor(finding({ path: ['a'], message: 'fits nothing', errors }))).toEqual([
      `a: fits nothing${more}`,
    ]);
  });
});

describe('what a Schema throws', () => {
  const fault = (path: unknown, message: unknown = 'is wrong') => ({ path, message });

  it.each<[string, readonly unknown[], readonly string[]]>([
    ['pointers', [fault('/items/0/name'), fault('/a~1b')], ['items[0].name: is wrong', 'a/b: is wrong']],
    ['what is no pointer', [fault('items.name')], ['items.name: is wrong']],
    ['the whole answer', [fault('')], ['is wrong']],
  ])('is read from its details, which name %s', async (_, details, lines) => {
    expect(await linesFor(throwing(Object.assign(new Error('no'), { details })))).toEqual(lines);
  });

  it.each<[string, unknown]>([
    ['none', []],
    ['nothing', [null]],
    ['a place that is no text', [fault(7)]],
    ['a message that is no text', [fault('/a', 7)]],
    ['no list', 'a'],
  ])('is told as a whole where its details are %s', async (_, details) => {
    expect(await linesFor(throwing(Object.assign(new Error('no'), { details })))).toEqual(['no']);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['with the field it names', Object.assign(new Error('no'), { field: 'a.b' }), ['a.b: no']],
    ['without a field that is no text', Object.assign(new Error('no'), { field: 7 }), ['no']],
    ['also where it is a text', 'no', ['no']],
    ['also where it is nothing', undefined, ['Unknown error']],
    ['also where it is null', null, ['Unknown error']],
  ])('is told %s', async (_, thrown, lines) => {
    expect(await linesFor(throwing(thrown))).toEqual(lines);
  });
});
