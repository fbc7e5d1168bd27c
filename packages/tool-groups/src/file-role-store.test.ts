import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, test } from '@fast-check/vitest';
import type { AgentError } from '@x/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileRoleStore } from './file-role-store.ts';
import type { Role } from './role.ts';
import { roleFileName } from './role-file.ts';
import { roleWith } from './testing/role-store-case.ts';

let home = '';
let made = 0;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'file-roles-'));
});
afterAll(() => rmSync(home, { recursive: true }));

describe('fileRoleStore()', () => {
  it('keeps each role in a file of its own, for its user only', async () => {
    const { store, directory } = laid();

    await store.save(roleWith({ id: 'developer-1', toolGroups: ['workspace'] }));

    const path = join(directory, 'role-developer-1.json');
    expect(readdirSync(directory)).toEqual(['role-developer-1.json']);
    expect([statSync(path).mode & 0o777, statSync(directory).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      format: 1,
      role: roleWith({ id: 'developer-1', toolGroups: ['workspace'] }),
    });
  });

  it('makes nothing before the first save', async () => {
    const { store, directory } = laid();

    const roles = await store.list();
    const deleted = await store.delete('a');

    expect([roles, deleted, existsSync(directory)]).toEqual([[], false, false]);
  });

  it('reports a damaged file and gives the other roles', async () => {
    const { store, directory, reported } = laid();
    await store.save(roleWith({ id: 'good' }));
    await store.save(roleWith({ id: 'half' }));
    const path = join(directory, roleFileName('half'));
    writeFileSync(path, readFileSync(path).subarray(0, 40));

    const roles = await store.list();

    expect(roles.map(({ id }) => id)).toEqual(['good']);
    expect(reported).toEqual([expect.objectContaining({ code: 'ROLE_FILE_DAMAGED', details: { path } })]);
    expect(reported[0]?.message).toMatch(/role-half\.json is damaged: .*Its role is missing; .*backup, or remove it/);
  });

  it.each<[string, string | Buffer]>([
    ['is empty', ''],
    ['is another value', '7'],
    ['is null', 'null'],
    ['has no format', JSON.stringify({ role: roleWith({ id: 'a' }) })],
    ['has a format that is none', JSON.stringify({ format: '2', role: roleWith({ id: 'a' }) })],
    ['has more than a role', JSON.stringify({ format: 1, role: roleWith({ id: 'a' }), more: true })],
    [
      'holds a role without a status',
      JSON.stringify({ format: 1, role: { ...roleWith({ id: 'a' }), status: undefined } }),
    ],
    [
      'holds toolGroups that are no list',
      JSON.stringify({ format: 1, role: { ...roleWith({ id: 'a' }), toolGroups: 'all' } }),
    ],
    ['holds the role of another file', JSON.stringify({ format: 1, role: roleWith({ id: 'b' }) })],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['is larger than any role', JSON.stringify({ format: 1, role: roleWith({ id: 'a' }) }).padEnd(1024 * 1024 + 1)],
  ])('reports a file that %s', async (_what, content) => {
    const { store, directory, reported } = laid();
    mkdirSync(directory);
    writeFileSync(join(directory, 'role-a.json'), content);

    const roles = await store.list();

    expect([roles, reported.map(({ code }) => code)]).toEqual([[], ['ROLE_FILE_DAMAGED']]);
  });

  it('reads neither links, nor pipes, nor directories', async () => {
    const { store, directory, reported } = laid();
    mkdirSync(join(directory, 'role-directory.json'), { recursive: true });
    writeFileSync(join(home, 'elsewhere.json'), JSON.stringify({ format: 1, role: roleWith({ id: 'link' }) }));
    symlinkSync(join(home, 'elsewhere.json'), join(directory, 'role-link.json'));
    execFileSync('mkfifo', [join(directory, 'role-pipe.json')]);

    const roles = await store.list();

    expect([roles, reported.map(({ code }) => code)]).toEqual([[], Array(3).fill('ROLE_FILE_DAMAGED')]);
  });

  it('warns the process of a damaged file when nobody else is told', async () => {
    const { directory } = laid();
    mkdirSync(directory);
    writeFileSync(join(directory, 'role-a.json'), '{');
    const warning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warning.mockRestore());

    await fileRoleStore({ directory }).list();

    expect(warning.mock.calls).toEqual([
      [expect.stringContaining('role-a.json is damaged'), { type: 'RoleStoreWarning', code: 'ROLE_FILE_DAMAGED' }],
    ]);
  });

  it('replaces a damaged file when its role is saved again', async () => {
    const { store, directory } = laid();
    mkdirSync(directory);
    writeFileSync(join(directory, 'role-a.json'), '{');

    await store.save(roleWith({ id: 'a' }));

    expect(await store.list()).toEqual([roleWith({ id: 'a' })]);
  });

  it('leaves a file of a newer version as it is: neither read nor replaced', async () => {
    const { store, directory, reported } = laid();
    await store.save(roleWith({ id: 'a' }));
    const path = join(directory, 'role-a.json');
    const newer = JSON.stringify({ format: 2, role: { id: 'a', power: 'more' } });
    writeFileSync(path, newer);

    const roles = await store.list();
    const saving = store.save(roleWith({ id: 'a' }));

    await expect(saving).rejects.toMatchObject({ code: 'ROLE_FILE_NEWER', details: { path, format: 2 } });
    expect([roles, reported.map(({ code }) => code)]).toEqual([[], ['ROLE_FILE_NEWER']]);
    expect(readFileSync(path, 'utf8')).toBe(newer);
  });

  it('never reads what is still being written, and removes what was left so long ago', async () => {
    const { store, directory, reported } = laid();
    await store.save(roleWith({ id: 'a' }));
    const [fresh, old] = ['.role-tmp-fresh', '.role-tmp-old'].map((name) => join(directory, name));
    for (const path of [fresh!, old!]) writeFileSync(path, JSON.stringify({ format: 1, role: roleWith({ id: 'b' }) }));
    utimesSync(old!, new Date(0), new Date(0));

    const roles = await store.list();

    expect([roles, reported]).toEqual([[roleWith({ id: 'a' })], []]);
    expect([existsSync(fresh!), existsSync(old!)]).toEqual([true, false]);
  });

  it('leaves files alone that are none of its own', async () => {
    const { store, directory, reported } = laid();
    mkdirSync(directory);
    for (const name of ['notes.txt', 'role-A.json', 'role-a.json.bak', 'role-.json'])
      writeFileSync(join(directory, name), '{');

    const roles = await store.list();

    expect([roles, reported, readdirSync(directory).length]).toEqual([[], [], 4]);
  });

  it('leaves no unfinished file when a save fails', async () => {
    const { store, directory } = laid();
    mkdirSync(join(directory, 'role-a.json', 'inside'), { recursive: true });

    await expect(store.save(roleWith({ id: 'a' }))).rejects.toMatchObject({ code: 'EISDIR' });
    expect(readdirSync(directory)).toEqual(['role-a.json']);
  });

  it('refuses a role that is too large to be read again', async () => {
    const { store } = laid();

    const saving = store.save(roleWith({ rolePrompt: 'x'.repeat(1024 * 1024) }));

    await expect(saving).rejects.toMatchObject({ code: 'ROLE_TOO_LARGE' });
  });

  it.each([
    ['an unknown option', { directory: 'x', folder: 'y' }, 'folder'],
    ['an empty directory', { directory: '' }, 'directory'],
  ])('refuses %s', (_what, options, field) => {
    expect(() => fileRoleStore(options)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  });

  it('lets several stores save into one directory at once', async () => {
    const { directory } = laid();
    const stores = Array.from({ length: 8 }, () => fileRoleStore({ directory }));

    await Promise.all(stores.map((store, index) => store.save(roleWith({ id: `role-${index}` }))));

    expect((await stores[0]!.list()).map(({ id }) => id)).toEqual(stores.map((_, index) => `role-${index}`));
  });

  const anyRole = fc.record<Role>(
    {
      id: fc.string({ minLength: 1, unit: 'binary' }),
      name: fc.string({ minLength: 1 }),
      rolePrompt: fc.string({ unit: 'binary' }),
      createdBy: fc.string({ minLength: 1 }),
      createdAt: fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date(1e14 / 4) })
        .map((date) => date.toISOString()),
      status: fc.constantFrom('active', 'inactive'),
      llmServiceId: fc.option(fc.string()),
      toolGroups: fc.array(fc.string({ unit: 'binary' })),
    },
    { requiredKeys: ['id', 'name', 'rolePrompt', 'createdBy', 'createdAt', 'status', 'llmServiceId'] },
  );
  test.prop([anyRole], { numRuns: 100 })('gives back any role as it was saved, in another store', async (given) => {
    const { store, directory } = laid();

    await store.save(given);

    expect(await fileRoleStore({ directory }).list()).toEqual([{ ...given }]);
  });
});

describe('roleFileName()', () => {
  const anyId = fc.string({
    unit: fc.constantFrom('a', 'A', '-', '/', '.', '\ud800', '\ud801', 'é', '0'),
    maxLength: 6,
  });
  test.prop([anyId, anyId], { numRuns: 500 })(
    'gives two ids two names, also where case does not count',
    (one, other) => {
      const alike = roleFileName(one).toLowerCase() === roleFileName(other).toLowerCase();

      expect(alike).toBe(one === other);
    },
  );

  it('tells ids apart that are the same in UTF-8', () => {
    const names = ['\ud800', '\ud801', '\ufffd'].map(roleFileName);

    expect(new Set(names).size).toBe(3);
  });

  it('is one plain part of a path, whatever the id', () => {
    const names = ['../../x', 'a/b', 'nul\0', 'x'.repeat(10_000), '', '.', 'CON'].map(roleFileName);

    expect(names.filter((name) => !/^role[-~][a-z0-9-]{1,64}\.json$/.test(name))).toEqual([]);
  });
});

function laid() {
  const directory = join(home, String(made++), 'roles');
  mkdirSync(join(directory, '..'));
  const reported: AgentError[] = [];
  return { directory, reported, store: fileRoleStore({ directory, onDamaged: (error) => void reported.push(error) }) };
}
