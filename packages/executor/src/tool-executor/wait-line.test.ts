import { fc, test } from '@fast-check/vitest';
import { AbortError } from '@x/core';
import { describe, expect, it } from 'vitest';
import { WaitLine } from './wait-line.ts';

describe('WaitLine', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('wait' as const) },
    { weight: 3, arbitrary: fc.constant('next' as const) },
    { weight: 1, arbitrary: fc.nat(5) },
  );

  test.prop([fc.array(step, { maxLength: 60, size: 'max' })])(
    'lets them in by their arrival, whoever leaves, also when nobody was there for a while',
    async (steps) => {
      const line = new WaitLine();
      const ends: Promise<unknown>[] = [];
      const told: number[] = [];
      const expected: number[] = [];
      let waiting: { readonly id: number; readonly caller: AbortController }[] = [];
      for (const [id, action] of steps.entries()) {
        if (action === 'wait') {
          const caller = new AbortController();
          const entered = line.wait({ signal: caller.signal }).then(
            () => told.push(id),
            (error: unknown) => error,
          );
          ends.push(entered);
          waiting.push({ id, caller });
        } else if (action === 'next') {
          const first = waiting.shift();
          if (first) expected.push(first.id);
          expect(line.next()).toBe(first !== undefined);
        } else {
          waiting[action]?.caller.abort();
          waiting = waiting.filter((_, index) => index !== action);
        }
        expect(line.length).toBe(waiting.length);
      }
      for (const { caller } of waiting) caller.abort();
      await Promise.all(ends);

      expect(told).toEqual(expected);
    },
  );

  it('lets nobody wait whose signal is aborted already', async () => {
    const line = new WaitLine();

    await expect(line.wait({ signal: AbortSignal.abort() })).rejects.toThrow(AbortError);

    expect(line.length).toBe(0);
  });
});
