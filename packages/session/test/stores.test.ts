import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStore, type SessionStore, sqliteStore } from '../src/index.ts';
import { STORE_CASES } from './store-cases.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stores-'));
});
afterAll(() => rm(folder, { recursive: true }));

const makers: readonly (readonly [string, () => SessionStore])[] = [
  ['memory', memoryStore],
  ['sqlite', () => sqliteStore({ path: join(folder, `${crypto.randomUUID()}.db`) })],
];

describe.each(makers)('the %s store', (_name, make) => {
  it.each(STORE_CASES)('%s', async (_sentence, check) => {
    await using store = make();

    await expect(check(store)).resolves.toBeUndefined();
  });
});

describe('the cases', () => {
  /** How many cases a store with this fault fails. */
  async function failuresOf(broken: (store: SessionStore) => Partial<SessionStore>): Promise<number> {
    const outcomes = await Promise.allSettled(
      STORE_CASES.map(([, check]) => {
        const store = memoryStore();
        return check({ ...store, ...broken(store) });
      }),
    );
    return outcomes.filter(({ status }) => status === 'rejected').length;
  }

  it('pass for the store they start from', async () => {
    expect(await failuresOf(() => ({}))).toBe(0);
  });

  it.each<[string, (store: SessionStore) => Partial<SessionStore>]>([
    [
      'does not compare the head',
      ({ append }) => ({
        append: async (id, { epoch }, bodies, consume) => {
          for (let head = 0; ; head++) {
            try {
              return await append(id, { epoch, head }, bodies, consume);
            } catch (error) {
              if ((error as { code?: string }).code !== 'SESSION_CONFLICT' || head > 20) throw error;
            }
          }
        },
      }),
    ],
    ['forgets to consume', ({ append }) => ({ append: (id, expected, bodies) => append(id, expected, bodies) })],
    ['gives a lease that is held', ({ acquire }) => ({ acquire: (id, owner) => acquire(id, owner, -1) })],
    [
      'does not raise the epoch',
      ({ acquire }) => ({
        acquire: async (...args) => {
          const lease = await acquire(...args);
          return lease && { ...lease, epoch: 1 };
        },
      }),
    ],
    ['renews for anybody', () => ({ renew: async () => true })],
    ['shares blobs', ({ getBlob }) => ({ getBlob: (_, sha256) => getBlob('s1', sha256) })],
    ['lists from the start again', ({ list }) => ({ list: ({ limit = 50 } = {}) => list({ limit }) })],
  ])('notice a store that %s', async (_fault, broken) => {
    expect(await failuresOf(broken)).toBeGreaterThan(0);
  });
});
