import type { RoleStore } from '../role-store.ts';
import { broken, same } from './in-time.ts';
import { type RoleStoreCase, roleWith } from './role-store-case.ts';
import type { RoleStoreUnderTest } from './role-store-under-test.ts';

/** Cases about roles that are opened again, or by another store. */
export const lastingCases: readonly RoleStoreCase[] = [
  [
    'gives another store the roles that were saved before it was closed',
    async (under) => {
      const roles = [
        roleWith({ id: 'a' }),
        roleWith({ id: 'b', toolGroups: [] }),
        roleWith({ id: 'c', toolGroups: ['x'] }),
      ];
      for (const role of roles) await under.store.save(role);
      await under.store.save(roleWith({ id: 'a', toolGroups: ['later'] }));
      await under.store.delete('b');
      await under.store.close();

      const again = await opened(under);
      same(await again.list(), [roleWith({ id: 'a', toolGroups: ['later'] }), roles[2]], 'the roles');
      await again.close();
    },
  ],
  [
    'shows each of two stores what the other one does',
    async (under) => {
      const other = await opened(under);
      await under.store.save(roleWith({ id: 'mine' }));
      await other.save(roleWith({ id: 'theirs' }));
      same(await under.store.list(), await other.list(), 'the two lists');
      same(
        (await other.list()).map(({ id }) => id),
        ['mine', 'theirs'],
        'the ids',
      );
      await other.save(roleWith({ id: 'mine', name: 'changed' }));
      same(await under.store.delete('theirs'), true, 'the deletion');
      same(await other.list(), [roleWith({ id: 'mine', name: 'changed' })], 'the rest');
      same(await under.store.list(), await other.list(), 'the two lists at the end');
      await other.close();
    },
  ],
  [
    'shows whole roles while another store saves them',
    async (under) => {
      const other = await opened(under);
      const versions = Array.from({ length: 20 }, (_, index) => roleWith({ name: `${index} `.repeat(1 + index * 40) }));
      await under.store.save(roleWith());
      const known = new Set([roleWith().name, ...versions.map(({ name }) => name)]);
      const saving = (async () => {
        for (const version of versions) await other.save(version);
      })();
      for (let look = 0; look < 20; look++) {
        const roles = await under.store.list();
        same(roles.length, 1, 'the number of roles');
        same(known.has(roles[0]?.name ?? ''), true, 'a version that was saved');
      }
      await saving;
      same(await under.store.list(), [versions.at(-1)], 'the roles at the end');
      await other.close();
    },
  ],
];

async function opened(under: RoleStoreUnderTest): Promise<RoleStore> {
  if (!under.open)
    throw broken('`open` is needed, which gives another store over the same roles; or say `lasting: false`');
  return await under.open();
}
