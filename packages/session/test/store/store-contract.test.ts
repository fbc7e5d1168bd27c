import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/store/memory-store.ts';
import { type StoreContractOptions, storeContract } from '../../src/testing/index.ts';
import type { Fault } from '../support/wrong-leases.ts';
import { WRONG_STORES } from '../support/wrong-stores.ts';

/** What becomes of the cases of these names, for a store with this fault. */
async function outcomesOf(fault: Fault, names: RegExp, options: StoreContractOptions = { commandRuns: 0 }) {
  const make = () => {
    const store = memoryStore();
    return { store: { ...store, ...fault(store) } };
  };
  const messages: string[] = [];
  for (const { name, run } of storeContract(make, { lasting: false, patienceMs: 1000, ...options })) {
    if (!names.test(name)) continue;
    await run().then(
      () => messages.push('kept'),
      (error: Error) => messages.push(error.message),
    );
  }
  return messages;
}

describe('storeContract', () => {
  it.each(WRONG_STORES.map(([what, fault, shownBy]) => [what, fault, shownBy] as const))(
    'notices a store that %s',
    async (_what, fault, shownBy) => {
      const outcomes = await outcomesOf(fault, shownBy);

      expect(outcomes.filter((outcome) => outcome !== 'kept')).not.toEqual([]);
    },
  );

  it.each(WRONG_STORES.flatMap(([what, fault, , byCommands]) => (byCommands ? [[what, fault] as const] : [])))(
    'notices by random commands a store that %s',
    async (_what, fault) => {
      const [outcome] = await outcomesOf(fault, /a model of it/, { commandRuns: 100, seed: 7 });

      expect(outcome).toContain('Counterexample');
    },
  );

  it('asks nothing of a store that has no immediate reads', async () => {
    const cases = storeContract(
      () => {
        const { now: _, ...store } = memoryStore();
        return { store };
      },
      { lasting: false, commandRuns: 0 },
    );

    await expect(Promise.all(cases.map(({ run }) => run()))).resolves.toHaveLength(cases.length);
  });

  it('leaves out what a store cannot show', () => {
    const make = () => ({ store: memoryStore() });
    const all = storeContract(make).map(({ name }) => name);
    const fewer = storeContract(make, { lasting: false, commandRuns: 0 }).map(({ name }) => name);

    expect(fewer.length).toBeGreaterThan(45);
    expect(all.length).toBe(fewer.length + 8);
    expect(new Set(all).size).toBe(all.length);
  });

  it('says what is missing when a store that lasts cannot be opened again', async () => {
    const [anew] = storeContract(() => ({ store: memoryStore() })).filter(({ name }) => name.includes('opened again'));

    await expect(anew?.run()).rejects.toThrow('lasting: false');
  });

  it('plays the same commands again for the same seed', async () => {
    const [, fault] = WRONG_STORES.find(([, , , byCommands]) => byCommands)!; // there is one
    const played = async (seed: number) => (await outcomesOf(fault, /a model of it/, { commandRuns: 100, seed }))[0];

    const [first, second, other] = [await played(7), await played(7), await played(8)];

    expect(first).toContain('seed: 7');
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('says so of a store that does not answer', async () => {
    const make = () => ({ store: { ...memoryStore(), create: () => new Promise<never>(() => undefined) } });
    const [first] = storeContract(make, { patienceMs: 5 });

    await expect(first?.run()).rejects.toThrow('within 5 ms');
  });

  it('closes and disposes after every case, kept or not', async () => {
    const told: string[] = [];
    const make = () => {
      const store = memoryStore();
      return {
        store: {
          ...store,
          read: () => {
            throw new Error('No.');
          },
          [Symbol.asyncDispose]: async () => void told.push('closed'),
        },
        dispose: () => void told.push('disposed'),
      };
    };
    const cases = storeContract(make, { lasting: false, commandRuns: 0 }).slice(0, 5);

    await Promise.allSettled(cases.map(({ run }) => run()));

    expect(told.filter((one) => one === 'closed')).toHaveLength(5);
    expect(told.filter((one) => one === 'disposed')).toHaveLength(5);
  });
});
