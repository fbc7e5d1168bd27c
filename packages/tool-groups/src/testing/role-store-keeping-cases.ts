import type { Role } from '../role.ts';
import { rejection, same } from './in-time.ts';
import { type RoleStoreCase, roleWith } from './role-store-case.ts';

/** Ids that a store might misread as something other than a name. */
const STRANGE_IDS: readonly string[] = [
  '../up',
  '/etc/passwd',
  '.',
  '..',
  ' ',
  'a/b',
  'a\\b',
  'a:b',
  'a%2Fb',
  'nul\0byte',
  'line\nfeed',
  'Case',
  'case',
  'é',
  'e\u0301',
  '角色',
  '😀',
  '\ud800',
  '\ud801',
  '\ufffd',
  '__proto__',
  'constructor',
  'con',
  '-rf',
  '*',
  'x'.repeat(300),
  `${'x'.repeat(300)}y`,
];

const NO_ROLES: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['no id', { ...roleWith(), id: '' }],
  ['a number as id', { ...roleWith(), id: 7 }],
  ['an invalid time', roleWith({ createdAt: 'yesterday' })],
  ['an unknown status', { ...roleWith(), status: 'retired' }],
  ['toolGroups null', { ...roleWith(), toolGroups: null }],
  ['a group that is no text', { ...roleWith(), toolGroups: ['workspace', 1] }],
  ['a part that no role has', { ...roleWith(), toolGroup: ['workspace'] }],
];

/** Cases about what a store keeps and refuses. */
export const keepingCases: readonly RoleStoreCase[] = [
  ['is empty at first', async ({ store }) => same(await store.list(), [], 'the roles of a fresh store')],
  [
    'gives back a role as it was saved',
    async ({ store }) => {
      const role = roleWith({ status: 'inactive', llmServiceId: 'fast', toolGroups: ['workspace', 'command'] });
      await store.save(role);
      same(await store.list(), [role], 'the role');
    },
  ],
  [
    'keeps absent toolGroups absent, and empty ones empty',
    async ({ store }) => {
      const [absent, empty] = [roleWith({ id: 'a' }), roleWith({ id: 'b', toolGroups: [] })];
      await store.save(absent);
      await store.save(empty);
      same(await store.list(), [absent, empty], 'the roles');
    },
  ],
  [
    'replaces the role of an id, its toolGroups too',
    async ({ store }) => {
      await store.save(roleWith({ toolGroups: ['workspace'] }));
      await store.save(roleWith({ toolGroups: ['network', 'console'] }));
      same(await store.list(), [roleWith({ toolGroups: ['network', 'console'] })], 'after an update');
      await store.save(roleWith());
      same(await store.list(), [roleWith()], 'after the toolGroups were taken out');
    },
  ],
  [
    'lists by the moment of creation, then by id',
    async ({ store }) => {
      const times: readonly (readonly [string, string])[] = [
        ['late', '2026-01-13T00:00:00.000Z'],
        ['b', '2026-01-12T00:00:00.000Z'],
        ['a', '2026-01-12T00:00:00.000Z'],
        ['early', '2026-01-11T23:30:00-01:00'],
        ['first', '2026-01-11T00:00:00Z'],
      ];
      for (const [id, createdAt] of times) await store.save(roleWith({ id, createdAt }));
      const ids = (await store.list()).map(({ id }) => id);
      same(ids, ['first', 'a', 'b', 'early', 'late'], 'the order');
    },
  ],
  [
    'keeps roles apart, whatever their ids are',
    async ({ store }) => {
      const roles = STRANGE_IDS.map((id, index) => roleWith({ id, name: `role ${index}` }));
      for (const role of roles) await store.save(role);
      same(namesById(await store.list()), namesById(roles), 'the names by id');
      for (const { id } of roles) same(await store.delete(id), true, `deleting ${JSON.stringify(id)}`);
      same(await store.list(), [], 'the rest');
    },
  ],
  [
    'deletes one role, and says whether it was there',
    async ({ store }) => {
      await store.save(roleWith({ id: 'a' }));
      await store.save(roleWith({ id: 'b' }));
      same(
        [await store.delete('a'), await store.delete('a'), await store.delete('c')],
        [true, false, false],
        'answers',
      );
      same(await store.list(), [roleWith({ id: 'b' })], 'the rest');
    },
  ],
  [
    'refuses what is no role, and changes nothing',
    async ({ store }) => {
      await store.save(roleWith());
      for (const [what, value] of NO_ROLES) {
        const code = await rejection(store.save(value as Role), what); // what a caller without types hands in
        same(code, 'VALIDATION_ERROR', what);
      }
      same(await store.list(), [roleWith()], 'the roles');
    },
  ],
  [
    'is not changed by changes of what was handed in or out',
    async ({ store }) => {
      const toolGroups = ['workspace'];
      const saving = store.save(roleWith({ toolGroups }));
      toolGroups.push('command');
      await saving;
      const [first] = await store.list();
      tryTo(() => (first?.toolGroups as string[] | undefined)?.push('network')); // a caller without types
      tryTo(() => Object.assign(first ?? {}, { name: 'other' }));
      same(await store.list(), [roleWith({ toolGroups: ['workspace'] })], 'the role');
    },
  ],
  [
    'does what is asked at once in the order of the calls',
    async ({ store }) => {
      const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
      await Promise.all(names.map((name) => store.save(roleWith({ name }))));
      same(await store.list(), [roleWith({ name: 'name 19' })], 'after saves of one role');
      await Promise.all([store.delete('role-1'), store.save(roleWith({ name: 'back' }))]);
      same(await store.list(), [roleWith({ name: 'back' })], 'after a deletion and a save');
      await Promise.all([store.save(roleWith({ name: 'gone' })), store.delete('role-1')]);
      same(await store.list(), [], 'after a save and a deletion');
    },
  ],
  [
    'ends what is under way before it is closed, refuses everything later, and may be closed twice',
    async ({ store }) => {
      const outcomes: string[] = [];
      const saving = store.save(roleWith()).then(
        () => outcomes.push('saved'),
        () => outcomes.push('refused'),
      );
      await store.close();
      same(outcomes, ['saved'], 'what became of the save under way');
      await saving;
      await store.close();
      const codes = [
        await rejection(store.list(), 'list'),
        await rejection(store.save(roleWith()), 'save'),
        await rejection(store.delete('role-1'), 'delete'),
      ];
      same(codes, Array(3).fill('ROLE_STORE_CLOSED'), 'the codes');
    },
  ],
];

function namesById(roles: readonly Role[]): ReadonlyMap<string, string> {
  return new Map(roles.map(({ id, name }) => [id, name]));
}

/** Changes a value that may be frozen, and then throws. */
function tryTo(change: () => unknown): void {
  try {
    change();
  } catch {
    // It could not be changed, which is fine too.
  }
}
