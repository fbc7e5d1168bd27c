import { describe, expect, it } from 'vitest';
import { record } from '../../test/support/random-log.ts';
import { title } from '../../test/support/store-values.ts';
import { memoryStore } from '../index.ts';
import { bodyIn, storeLarge } from './large-body.ts';

describe('bodyIn', () => {
  it('refuses bytes that are missing, and bytes that are not those of the name', async () => {
    const store = memoryStore();
    await store.create('s', { type: 'session_created', format: 1, cwd: '/work' });
    const large = record({ type: 'note', name: 'n', data: 'x'.repeat(300_000) });
    const [small, blob] = await storeLarge(store, 's', [title('a'), large]);
    if (blob?.type !== 'blob') throw new Error('it was not stored');
    const bytes = (await store.getBlob('s', blob.sha256))!;
    const damaged = new TextEncoder().encode(JSON.stringify(title('forged')));

    expect(small).toEqual(title('a'));
    expect(bodyIn(blob, bytes)).toEqual(large);
    for (const wrong of [undefined, damaged]) expect(() => bodyIn(blob, wrong)).toThrow(/missing or damaged/);
  });
});
