import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileRoleStore } from '../file-role-store.ts';
import { memoryRoleStore } from '../memory-role-store.ts';
import type { Role } from '../role.ts';
import type { RoleStore } from '../role-store.ts';
import { roleWith } from './role-store-case.ts';
import { roleStoreContract } from './role-store-contract.ts';
import type { RoleStoreUnderTest } from './role-store-under-test.ts';

describe('roleStoreContract()', () => {
  describe('on memoryRoleStore()', () => {
    const make = () => ({ store: memoryRoleStore() });
    it.each(roleStoreContract(make, { lasting: false }))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  describe('on fileRoleStore()', () => {
    it.each(roleStoreContract(inFiles))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  it('needs to open the roles again for what lasts', async () => {
    const [lasting] = roleStoreContract(() => ({ store: memoryRoleStore() })).slice(-3);

    await expect(lasting?.run()).rejects.toThrow('lasting: false');
  });

  it('says so of a store that does not answer', async () => {
    const store = { ...memoryRoleStore(), list: () => new Promise<never>(() => undefined) };
    const [first] = roleStoreContract(() => ({ store }), { patienceMs: 5 });

    await expect(first?.run()).rejects.toThrow('within 5 ms');
  });

  it('refuses an option that it does not know', () => {
    const options = { lasting: false, patienceM: 5 };

    expect(() => roleStoreContract(inFiles, options)).toThrow('did you mean patienceMs');
  });

  it.each<[string, RegExp, (store: RoleStore) => Partial<RoleStore>]>([
    ['begins with a role', /is empty at first/, (store) => ({ list: async () => [...(await store.list()), surplus] })],
    ['forgets toolGroups', /as it was saved/, (store) => ({ save: (role) => store.save(withoutGroups(role)) })],
    [
      'makes absent toolGroups empty',
      /absent toolGroups absent/,
      (store) => ({ save: (role) => store.save({ toolGroups: [], ...role }) }),
    ],
    ['keeps the first role of an id', /replaces the role/, keepingTheFirst],
    ['lists newest first', /moment of creation/, (store) => ({ list: async () => (await store.list()).toReversed() })],
    [
      'takes ids that differ in case for the same',
      /keep.*roles apart/,
      (store) => ({ save: (role) => store.save({ ...role, id: role.id?.toLowerCase() }) }),
    ],
    [
      'says that it deleted what was not there',
      /deletes one role/,
      (store) => ({ delete: async (id) => [await store.delete(id), true][1] === true }),
    ],
    ['deletes nothing', /deletes one role/, () => ({ delete: async () => true })],
    [
      'takes anything for a role',
      /what is no role/,
      (store) => ({ save: async (role) => await store.save(role).catch(() => undefined) }),
    ],
    ['keeps what it was handed', /handed in or out/, () => keepingReferences()],
    [
      'does the last thing first',
      /order of the calls/,
      (store) => ({
        save: (role) => later(1).then(() => store.save(role)),
        delete: (id) => store.delete(id),
      }),
    ],
    [
      'is closed while it still works',
      /before it is closed/,
      (store) => ({ save: (role) => later(3).then(() => store.save(role)) }),
    ],
    ['works on after its end', /before it is closed/, () => ({ close: async () => undefined })],
  ])('notices a store that %s', async (_fault, promise, change) => {
    const broken = await brokenBy(change);

    expect(broken.filter((name) => promise.test(name))).toHaveLength(1);
  });

  it('notices a store whose roles end with it', async () => {
    const make = () => ({ store: memoryRoleStore(), open: () => memoryRoleStore() });
    const names = await brokenNames(roleStoreContract(make));

    expect(names).toEqual(
      roleStoreContract(make)
        .slice(-3)
        .map(({ name }) => name),
    );
  });
});

const surplus = roleWith({ id: 'surplus', name: 'surplus' });

function inFiles(): RoleStoreUnderTest {
  const above = mkdtempSync(join(tmpdir(), 'roles-'));
  const open = () => fileRoleStore({ directory: join(above, 'roles') });
  return { store: open(), open, dispose: () => rmSync(above, { recursive: true }) };
}

async function brokenBy(change: (store: RoleStore) => Partial<RoleStore>): Promise<string[]> {
  return await brokenNames(
    roleStoreContract(
      () => {
        const store = memoryRoleStore();
        return { store: { ...store, ...change(store) } };
      },
      { lasting: false, patienceMs: 500 },
    ),
  );
}

async function brokenNames(cases: ReturnType<typeof roleStoreContract>): Promise<string[]> {
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
  return cases.flatMap(({ name }, index) => (outcomes[index]?.status === 'rejected' ? [name] : []));
}

function withoutGroups({ toolGroups: _, ...role }: Role): Role {
  return role;
}

function keepingTheFirst(store: RoleStore): Partial<RoleStore> {
  return {
    save: async (role) => {
      const known = (await store.list()).some(({ id }) => id === role.id);
      if (!known) await store.save(role);
    },
  };
}

function keepingReferences(): Partial<RoleStore> {
  const roles = new Map<string, Role>();
  return { save: async (role) => void roles.set(role.id, role), list: async () => [...roles.values()] };
}

async function later(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
