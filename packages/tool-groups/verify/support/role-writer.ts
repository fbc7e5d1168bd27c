// Saves and deletes roles as fast as it can, until it is killed; see role-writer-process.ts.
import { mkdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileRoleStore } from '../../src/file-role-store.ts';
import type { Role } from '../../src/role.ts';
import { roleFileName, writeRole } from '../../src/role-file.ts';
import type { RoleStore } from '../../src/role-store.ts';

const [directory = '', how, writer] = process.argv.slice(2);
const store = how === 'store' ? fileRoleStore({ directory }) : inPlace();

for (let step = 0; how !== 'not at all'; step++) {
  const id = `writer-${writer}-${step % 5}`;
  const name = step % 7 === 6 ? 'deleted' : `v${process.pid}-${step}`;
  say('begin', id, name);
  if (name === 'deleted') await store.delete(id);
  else await store.save(role(id, name));
  say('done', id, name);
}

/** A line at once, so that nothing is said after it has happened to us. */
function say(...words: readonly string[]): void {
  writeSync(1, `${words.join(' ')}\n`);
}

/** The prompt is long, and the name over and over: a torn one shows. */
function role(id: string, name: string): Role {
  return {
    id,
    name,
    rolePrompt: name.repeat(6_000),
    createdBy: 'root',
    createdAt: '2026-01-11T08:00:00.000Z',
    status: 'active',
    llmServiceId: null,
    toolGroups: ['workspace'],
  };
}

/** The control: no temporary file, no rename. */
function inPlace(): Pick<RoleStore, 'save' | 'delete'> {
  mkdirSync(directory, { recursive: true });
  return {
    async save(one) {
      const content = writeRole(one);
      const path = join(directory, roleFileName(one.id));
      const half = content.length / 2;
      writeFileSync(path, content.subarray(0, half));
      writeFileSync(path, content.subarray(half), { flag: 'a' });
    },
    async delete(id) {
      rmSync(join(directory, roleFileName(id)), { force: true });
      return true;
    },
  };
}
