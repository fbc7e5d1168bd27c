import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { metadata, namesOf, ok, registryOf } from '../test/registries.ts';
import { ToolRegistry } from './tool-registry.ts';

describe('list, get and the filters', () => {
  const tagged = () => {
    const registry = new ToolRegistry();
    registry.register(metadata('a', { tags: ['x', 'y'], category: 'one' }), ok);
    registry.register(metadata('b', { tags: ['x'] }), ok, { category: 'two' });
    registry.register(metadata('c', { tags: ['z'], category: 'one' }), ok, { tags: ['x', 'y'], category: 'two' });
    registry.disable('b');
    return registry;
  };

  it('R13: list has one info per tool, disabled ones too, in the order of registration', () => {
    expect(tagged().list()).toEqual([
      {
        ...metadata('a'),
        tags: ['x', 'y'],
        category: 'one',
        version: '1.0.0',
        enabled: true,
        registeredAt: expect.any(Date),
      },
      {
        ...metadata('b'),
        tags: ['x'],
        category: 'two',
        version: '1.0.0',
        enabled: false,
        registeredAt: expect.any(Date),
      },
      {
        ...metadata('c'),
        tags: ['x', 'y'],
        category: 'two',
        version: '1.0.0',
        enabled: true,
        registeredAt: expect.any(Date),
      },
    ]);
  });

  it.each([
    [{}, ['a', 'b', 'c']],
    [{ category: 'two' }, ['b', 'c']],
    [{ tag: 'y' }, ['a', 'c']],
    [{ tags: ['x', 'y'] }, ['a', 'c']],
    [{ tag: 'x', tags: ['y'], category: 'two' }, ['c']],
    [{ category: 'two', enabled: true }, ['c']],
    [{ tag: 'none' }, []],
  ])('R14: list(%j) is %j', (filter, names) => {
    expect(namesOf(tagged().list(filter))).toEqual(names);
  });

  it('R14: refuses a filter that it does not know or could not honour', () => {
    for (const filter of [{ categroy: 'two' }, { category: 2 }, { tags: 'x' }, { tag: 1 }, { enabled: 'yes' }, null]) {
      expect(() => tagged().list(filter as never)).toThrow(ValidationError);
    }
  });

  it('R15: get of an unknown name is undefined', () => {
    expect(new ToolRegistry().get('x')).toBeUndefined();
    expect(new ToolRegistry().get('toString')).toBeUndefined();
  });

  it('R26: filterByTag asks for all tags; none asks for nothing', () => {
    expect(namesOf(tagged().filterByTag(['x', 'y']))).toEqual(['a', 'c']);
    expect(namesOf(tagged().filterByTag(['x']))).toEqual(['a', 'b', 'c']);
    expect(namesOf(tagged().filterByTag([]))).toEqual(['a', 'b', 'c']);
  });

  it('R27: filterByCategory is exact', () => {
    expect(namesOf(tagged().filterByCategory('two'))).toEqual(['b', 'c']);
    expect(tagged().filterByCategory('Two')).toEqual([]);
  });

  it('R46: what is handed out is frozen, and its date is an own one', () => {
    const registry = tagged();
    const handedOut = [registry.list()[0], registry.search('does')[0], registry.get('a'), registry.get('a')?.metadata];
    const entry = registry.get('a');

    for (const one of handedOut)
      expect(() => Object.assign(one ?? {}, { name: 'z', enabled: false })).toThrow(TypeError);
    expect([entry?.metadata.parameters, entry?.tags].every(Object.isFrozen)).toBe(true);
    entry?.registeredAt.setTime(0);
    registry.list()[0]?.registeredAt.setTime(0);

    expect(registry.get('a')?.registeredAt.getTime()).toBeGreaterThan(0);
    expect(namesOf(registry.list())).toEqual(['a', 'b', 'c']);
  });

  it('R46: changing what was registered has no effect either', () => {
    const registry = new ToolRegistry();
    const given = {
      name: 'a',
      description: 'd',
      parameters: [{ name: 'p', type: 'string' as const, description: '' }],
    };
    const options = { tags: ['t'] };
    registry.register(given, ok, options);

    given.parameters.pop();
    given.description = 'changed';
    options.tags.push('more');

    expect(registry.list()[0]).toMatchObject({ description: 'd', parameters: [{ name: 'p' }], tags: ['t'] });
  });

  it('R47: walking a list is not disturbed by what the tools do meanwhile', () => {
    const registry = registryOf('a', 'b', 'c');
    const walked: string[] = [];

    for (const { name } of registry.list()) {
      walked.push(name);
      registry.unregister(name);
      registry.register(metadata(`${name}-again`), ok);
    }

    expect(walked).toEqual(['a', 'b', 'c']);
  });

  it('R58: options stand over metadata for tags and category, everywhere', () => {
    const registry = tagged();

    expect(registry.get('c')).toMatchObject({ tags: ['x', 'y'], category: 'two' });
    expect(registry.get('c')?.metadata).toMatchObject({ tags: ['z'], category: 'one' });
    expect(registry.filterByTag(['z'])).toEqual([]);
    expect(namesOf(registry.search('one'))).toEqual(['a']);
    expect(registry.search('z')).toEqual([]);
  });

  it('R64: disabled tools are found by enabled: false and left out by enabled: true', () => {
    expect(namesOf(tagged().list({ enabled: false }))).toEqual(['b']);
    expect(namesOf(tagged().list({ enabled: true }))).toEqual(['a', 'c']);
  });

  it('R67: an empty registry lists and finds nothing', () => {
    expect(new ToolRegistry().list()).toEqual([]);
    expect(new ToolRegistry().search('x')).toEqual([]);
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/).filter((one) => one !== 'constructor' && one !== 'prototype');

  test.prop([fc.uniqueArray(name, { maxLength: 12 })])('what is registered is there, in order', (names) => {
    const registry = registryOf(...names);

    expect(namesOf(registry.list())).toEqual(names);
    expect(names.map((one) => registry.get(one)?.metadata)).toEqual(names.map((one) => metadata(one)));
  });

  const change = fc.constantFrom('enable' as const, 'disable' as const, 'overwrite' as const);

  test.prop([
    fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
    fc.array(fc.tuple(fc.nat(), change), { maxLength: 20, size: 'max' }),
  ])('R55: enable, disable and overwrite never change the order', (names, changes) => {
    const registry = registryOf(...names);

    for (const [index, what] of changes) {
      const one = names[index % names.length] ?? '';
      if (what === 'overwrite') registry.register(metadata(one), ok, { overwrite: true });
      else registry[what](one);
    }

    expect(namesOf(registry.list())).toEqual(names);
  });
});

describe('page', () => {
  it('is a page of what list answers, with its totals', () => {
    const registry = registryOf('a', 'b', 'c');
    registry.register(metadata('d', { tags: ['x'] }), ok);

    expect(namesOf(registry.page({ page: 2, limit: 3 }).items)).toEqual(['d']);
    expect(registry.page({}, { tag: 'x' })).toEqual({
      items: registry.list({ tag: 'x' }),
      page: 1,
      limit: 50,
      total: 1,
      totalPages: 1,
    });
    expect(() => registry.page({ limit: 101 })).toThrow(expect.objectContaining({ field: 'limit' }));
  });
});
