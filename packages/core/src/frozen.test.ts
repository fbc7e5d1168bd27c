import { describe, expect, it } from 'vitest';
import { frozen } from './frozen.ts';

describe('frozen', () => {
  it('freezes lists and objects at every depth, where they are', () => {
    const value = { list: [{ deep: { text: 'a' } }], none: null, bare: Object.assign(Object.create(null), { a: {} }) };

    expect(frozen(value)).toBe(value);
    for (const one of [value, value.list, value.list[0], value.list[0]!.deep, value.bare, value.bare.a]) {
      expect(Object.isFrozen(one)).toBe(true);
    }
  });

  it('leaves what is no plain data as it is', () => {
    const bytes = new Uint8Array(2);
    const parts = { when: new Date(0), bytes, known: new Map(), own: new (class Own {})() };

    frozen(parts);

    for (const one of Object.values(parts)) expect(Object.isFrozen(one)).toBe(false);
    bytes[0] = 1;
  });

  it.each([undefined, null, 'text', 7])('gives %j back', (value) => {
    expect(frozen(value)).toBe(value);
  });

  it('comes to an end with a circle', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;

    expect(Object.isFrozen(frozen(circle))).toBe(true);
  });
});
