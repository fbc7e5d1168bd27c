import { test } from '@fast-check/vitest';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathPattern } from './path-pattern.ts';

const names = fc.array(fc.constantFrom('a', 'b', '.c'), { maxLength: 6 });
const parts = fc.array(fc.constantFrom('**', '*', 'a', 'b', '.c'), { minLength: 1, maxLength: 5 });

describe('pathPattern', () => {
  test.prop([parts, names])('touches a path when it matches it or a directory around it', (pattern, path) => {
    const { matches, touches } = pathPattern(pattern.join('/'), { hidden: true });
    const around = Array.from({ length: path.length + 1 }, (_, end) => path.slice(0, end));

    expect(touches(path)).toBe(around.some(matches));
  });

  it('answers about a hostile path at once', () => {
    const path = Array.from({ length: 200_000 }, () => 'a');

    expect(pathPattern('**/a/**/b', { hidden: true }).touches(path)).toBe(false);
  });
});
