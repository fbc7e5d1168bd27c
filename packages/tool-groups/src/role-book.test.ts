import { describe, expect, it } from 'vitest';
import { memoryRoleStore } from './memory-role-store.ts';
import { RoleBook } from './role-book.ts';
import type { RoleStore } from './role-store.ts';

describe('RoleBook', () => {
  it('holds nothing that was not saved', async () => {
    const { book, fail } = failing();
    const { id } = await book.create({ name: 'a', rolePrompt: '', toolGroups: ['console'] });
    fail();

    await expect(book.create({ name: 'b', rolePrompt: '' })).rejects.toThrow('disk');
    await expect(book.update(id, { toolGroups: ['console', 'command'] })).rejects.toThrow('disk');

    expect(book.list()).toMatchObject([{ id, toolGroups: ['console'] }]);
  });

  it('takes what could not be deleted for gone, until it is read anew', async () => {
    const { book, fail } = failing();
    const { id } = await book.create({ name: 'a', rolePrompt: '' });
    fail();

    await expect(book.delete(id)).rejects.toThrow('disk');

    expect(book.get(id)).toBeUndefined();
    await expect(book.update(id, { name: 'b' })).rejects.toMatchObject({ code: 'ROLE_NOT_FOUND' });
    await book.load();
    expect(book.get(id)).toMatchObject({ id });
  });

  it('goes on after a change that failed', async () => {
    const { book } = failing();

    const [refused, made] = await Promise.allSettled([
      book.update('nobody', { name: 'b' }),
      book.create({ name: 'a', rolePrompt: '' }),
    ]);

    expect([refused.status, made.status]).toEqual(['rejected', 'fulfilled']);
  });
});

function failing() {
  const inner = memoryRoleStore();
  let isBroken = false;
  const work = <T>(call: () => Promise<T>) => (isBroken ? Promise.reject(new Error('disk')) : call());
  const store: RoleStore = {
    ...inner,
    save: (role) => work(() => inner.save(role)),
    delete: (id) => work(() => inner.delete(id)),
  };
  return { book: new RoleBook(store), fail: () => void (isBroken = true) };
}
