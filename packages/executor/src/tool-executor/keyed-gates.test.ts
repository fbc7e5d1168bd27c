import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConcurrencyGate } from './concurrency-gate.ts';
import { KeyedGates } from './keyed-gates.ts';
import { RateGate } from './rate-gate.ts';

const options = { name: 'tool t', maxQueue: 10, maxWait: 1_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('KeyedGates', () => {
  it('forgets the keys whose attempts have ended', async () => {
    const gates = new KeyedGates(() => new ConcurrencyGate(1, options));
    let most = 0;

    for (let key = 0; key < 10_000; key++) {
      const gate = gates.at(key);
      await gate?.enter(undefined);
      gate?.leave();
      most = Math.max(most, gates.size);
    }

    expect(most).toBeLessThanOrEqual(3);
  });

  it('forgets the keys whose window is over, and no other', async () => {
    const gates = new KeyedGates(() => new RateGate({ limit: 1, window: 100 }, options));
    for (let key = 0; key < 1_000; key++) await gates.at(key)?.enter(undefined);
    const before = gates.size;

    await vi.advanceTimersByTimeAsync(101);
    for (let key = 0; key < 1_000; key++)
      gates
        .at('one')
        ?.enter(AbortSignal.abort())
        ?.catch(() => undefined);

    expect(before).toBe(1_000);
    expect(gates.size).toBe(1);
  });

  it('keeps those that are in use, and makes none for a key without a limit', async () => {
    const gates = new KeyedGates((key) => (key === 'free' ? undefined : new ConcurrencyGate(1, options)));
    const used = gates.at('used');
    await used?.enter(undefined);

    for (let key = 0; key < 100; key++) gates.at(key);

    expect(gates.at('used')).toBe(used);
    expect(gates.at('free')).toBeUndefined();
  });
});
