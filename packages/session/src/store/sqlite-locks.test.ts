import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-locks-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The locks of this process on a file, as Linux tells them. */
function locksOn(path: string): string[] {
  const { ino } = statSync(path);
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `));
}

describe.skipIf(process.platform !== 'linux')('the lock of a store (Linux; elsewhere there is no /proc)', () => {
  it('stays when another store of the same process opens the same file', async () => {
    const path = join(folder, 'two-stores.db');
    const first = sqliteStore({ path });
    await first.create('s', { type: 'session_created', format: 1, cwd: '/' });
    const before = locksOn(path);

    const second = sqliteStore({ path });
    await second.list();
    const after = locksOn(path);

    expect(before).toHaveLength(1);
    expect(after).toHaveLength(1);
    await second[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
  });
});

describe('a write while another process has the lock', () => {
  it('waits without holding up the event loop, the first one of a store as well', async () => {
    const path = join(folder, 'held.db');
    await using first = sqliteStore({ path });
    await first.create('s', { type: 'session_created', format: 1, cwd: '/' });
    using holder = new DatabaseSync(path);
    await using second = sqliteStore({ path });
    await second.list();
    holder.exec('begin immediate');

    const leases = [first.acquire('s', 'me', 0), second.acquire('s', 'me', 0)];
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    const read = await Array.fromAsync(first.read('s'));
    holder.exec('rollback');

    expect(read).toHaveLength(1);
    expect(new Set((await Promise.all(leases)).map((lease) => lease?.epoch))).toEqual(new Set([1, 2]));
  });
});
