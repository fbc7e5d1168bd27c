import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../src/index.ts';
import { itself, lookAt, type Subject } from '../verify/support/visible-iff-executable.ts';

describe('Runtime over random organisations', () => {
  test.prop([fc.integer({ min: 0, max: 1_000_000 })], { numRuns: 100 })(
    'lists a tool for an agent exactly when it would run it, and gives a child nothing its creator has not',
    async (seed) => {
      expect(await lookAt(seed, itself, { pairs: 0, visible: 0, deepest: 0 })).toBeUndefined();
    },
  );

  it('is found out when it lists what the role of the agent does not have', async () => {
    const everything = (runtime: Runtime): Subject => ({
      ...itself(runtime),
      listed: () => new Set(runtime.toolGroupManager.listGroups().flatMap(({ tools }) => tools)),
    });

    expect(await lookAt(1, everything, { pairs: 0, visible: 0, deepest: 0 })).toMatch(/listed true, ran false/);
  });
});
