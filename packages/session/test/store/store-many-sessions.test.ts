import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { sqliteStore } from '../../src/index.ts';

describe('sqliteStore', () => {
  it('keeps the sequence exact after millions of sessions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'numbers-'));
    const path = join(folder, 's.db');
    await using store = sqliteStore({ path });
    const created = { type: 'session_created', format: 1, cwd: '/work' } as const;
    await store.create('first', created);
    const database = new DatabaseSync(path);
    database.exec("update sqlite_sequence set seq = 3000000 where name = 'sessions'"); // of the numbers of sessions
    database.close();
    await store.create('late', created);
    const lease = await store.acquire('late', 'me', 30_000);
    const ends = [1, 2, 3, 4].map((n) =>
      store.append('late', { epoch: lease!.epoch, head: n }, [{ type: 'title', title: String(n) }]),
    );
    expect(await Promise.all(ends)).toEqual([2, 3, 4, 5]);
    const read = await Array.fromAsync(store.read('late'));
    await store.fork('late', 4, 'copy');
    const copied = await Array.fromAsync(store.read('copy'));
    expect(copied.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    rmSync(folder, { recursive: true });
  });
});
