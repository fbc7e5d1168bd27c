import { fc, test } from '@fast-check/vitest';
import { ValidationError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { frozenCopy } from './frozen-copy.ts';

describe('frozenCopy', () => {
  const plain = fc.object({
    withNullPrototype: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
  });

  test.prop([plain])('is equal to what it was made of, shares nothing with it, and is frozen', (value) => {
    const copy = frozenCopy(value, 'A value');

    expect(copy).toEqual(structuredClone(value));
    expect([copy === value, Object.isFrozen(copy)]).toEqual([false, true]);
  });

  it('keeps keys that name a prototype as what they are', () => {
    const copy = frozenCopy(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as object, 'A value');

    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('copies circles, and what many share, in no more than linear time', () => {
    const circle: Record<string, unknown> = {};
    Object.assign(circle, { left: circle, right: circle });
    let shared: unknown = 1;
    for (let depth = 0; depth < 60; depth++) shared = [shared, shared];

    const copy = frozenCopy(circle, 'A circle');

    expect(copy['left']).toBe(copy);
    expect(Object.isFrozen(frozenCopy(shared, 'A tree'))).toBe(true);
  });

  it('is frozen to its ground also where it holds a date', () => {
    const copy = frozenCopy({ when: new Date(0), inner: { list: [{ a: 1 }] } }, 'A value');

    expect([copy.inner, copy.inner.list, copy.inner.list[0]].every(Object.isFrozen)).toBe(true);
  });

  it.each([() => 1, Symbol('s'), { deep: [() => 1] }, { deep: new Map([[1, () => 1]]) }])('refuses %s', (value) => {
    expect(() => frozenCopy(value, 'Tool metadata')).toThrow(ValidationError);
    expect(() => frozenCopy(value, 'Tool metadata')).toThrow(/^Tool metadata must be plain data/);
  });
});
