import { describe, expect, it } from 'vitest';
import { jsonCopy } from './hook-json.ts';

describe('jsonCopy', () => {
  it('hides nothing of what a tool will get, and changes no prototype', () => {
    const input: unknown = JSON.parse('{"__proto__":{"path":"/etc"},"list":[{"__proto__":1}]}');

    const copy = jsonCopy(input);

    expect(JSON.stringify(copy)).toBe(JSON.stringify(input));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy).not.toBe(input);
  });
});
