import { describe, expect, it } from 'vitest';
import { NamesInAnyCase } from './names-in-any-case.ts';

describe('NamesInAnyCase', () => {
  it('finds a name as it is written first, then in small letters, then the others as they came', () => {
    const names = new NamesInAnyCase();
    for (const name of ['READ', 'read', 'Read', 'readFile', 'constructor']) names.add(name);

    expect([...names.like('Read')]).toEqual(['Read', 'read', 'READ']);
    expect([...names.like('readfile')]).toEqual(['readfile', 'readFile']);
    expect([...names.like('toString')]).toEqual(['toString', 'tostring']);
  });

  it('forgets what was deleted', () => {
    const names = new NamesInAnyCase();
    for (const name of ['READ', 'Read']) names.add(name);
    for (const name of ['READ', 'read', 'other']) names.delete(name);

    expect([...names.like('read')]).toEqual(['read', 'Read']);
  });
});
