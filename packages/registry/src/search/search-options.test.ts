import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../tool-registry.ts';

const registryOf = (count: number) => {
  const registry = new ToolRegistry();
  for (let index = 0; index < count; index++) {
    registry.register({ name: `tool-${index}`, description: 'does something', parameters: [] }, async () => undefined);
  }
  return registry;
};

describe('checkedSearch', () => {
  it('answers the best hundred unless another number is wanted', () => {
    const registry = registryOf(120);

    expect(registry.search('something')).toHaveLength(100);
    expect(registry.search('something', { limit: 7 })).toHaveLength(7);
    expect(registry.search('something', { limit: Number.POSITIVE_INFINITY })).toHaveLength(120);
  });

  it('goes on where an earlier page ended, the tool of that very name on the first one', () => {
    const registry = registryOf(5);
    const pages = [0, 2, 4, 6].map((offset) => registry.search('tool-3', { limit: 2, offset }));

    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
      ['tool-3', 'tool-0'],
      ['tool-1', 'tool-2'],
      ['tool-4'],
      [],
    ]);
  });

  it.each([
    { limit: 0 },
    { limit: 1.5 },
    { limit: Number.NaN },
    { offset: -1 },
    { offset: Number.POSITIVE_INFINITY },
    { most: 3 },
  ])('refuses %j', (options) => {
    expect(() => registryOf(1).search('something', options)).toThrow(ValidationError);
  });
});
