import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsIn } from '../../test/support/store-values.ts';
import { migrate } from './sqlite-schema.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schema-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The tables as version 1 made them. */
const VERSION_1 = `
  create table sessions (
    id text primary key, cwd text not null, title text, head integer not null, epoch integer not null,
    owner text, lease_until integer not null, updated_at integer not null
  ) without rowid;
  create index sessions_by_time on sessions (updated_at desc, id);
  create index sessions_by_cwd on sessions (cwd, updated_at desc, id);
  create table entries (
    session_id text not null, seq integer not null, epoch integer not null, at integer not null, body text not null,
    primary key (session_id, seq)
  ) without rowid;
  create table inbox (
    session_id text not null, position integer not null, message_id text not null, body text not null,
    primary key (session_id, position)
  ) without rowid;
  create table delivered (session_id text not null, message_id text not null, primary key (session_id, message_id)) without rowid;
  create table snapshots (session_id text primary key, seq integer not null, format integer not null, state text not null) without rowid;
  create table blobs (session_id text not null, sha256 text not null, bytes blob not null, primary key (session_id, sha256));
  pragma user_version = 1`;

/** A file of version 1: a session that is owned, and a fork of it. */
function fileOfVersion1(): string {
  const path = join(folder, `${crypto.randomUUID()}.db`);
  const database = new DatabaseSync(path);
  database.exec(VERSION_1);
  const session = database.prepare('insert into sessions values (?, ?, ?, ?, ?, ?, ?, ?)');
  session.run('s1', '/work', 'A title', 2, 3, 'owner boot/pid/1/2', Date.now() + 1e9, 1_700_000_000_000);
  session.run('fork', '/work', null, 1, 0, null, 0, 1_700_000_000_001);
  const entry = database.prepare('insert into entries values (?, ?, ?, ?, ?)');
  const created = { type: 'session_created', format: 1, cwd: '/work' };
  entry.run('s1', 1, 0, 1_700_000_000_000, JSON.stringify(created));
  entry.run('s1', 2, 3, 1_700_000_000_000, '{"type":"title","title":"A title"}');
  entry.run('fork', 1, 0, 1_700_000_000_001, JSON.stringify({ ...created, forkedFrom: { sessionId: 's1', seq: 1 } }));
  database.exec(`insert into inbox values ('s1', 1, 'm1', '{"message":{"id":"m1"},"priority":"next"}');
    insert into delivered values ('s1', 'm0'); insert into snapshots values ('s1', 1, 1, '{}');
    insert into blobs values ('s1', 'abc', x'01')`);
  database.close();
  return path;
}

/** The tables that version 2 had in another way: entries without a checksum, blobs by session. */
const VERSION_2 = `
  create table sessions (
    number integer primary key autoincrement, id text not null unique, cwd text not null, title text, metadata text, forked_from text,
    epoch integer not null, owner text, lease_until integer not null, updated_at integer not null
  );
  create index sessions_by_time on sessions (updated_at desc, id);
  create index sessions_by_cwd on sessions (cwd, updated_at desc, id);
  create table entries (key integer primary key, epoch integer not null, at integer not null, body text not null);
  create table inbox (
    session_id text not null, position integer not null, message_id text not null, body text not null,
    primary key (session_id, position)
  ) without rowid;
  create table delivered (session_id text not null, message_id text not null, primary key (session_id, message_id)) without rowid;
  create table snapshots (session_id text primary key, seq integer not null, format integer not null, state blob not null);
  create table blobs (session_id text not null, sha256 text not null, bytes blob not null, primary key (session_id, sha256));
  pragma user_version = 2`;

/** A file of version 2: a session, and a fork of it with the same blob. */
function fileOfVersion2(): string {
  const path = join(folder, `${crypto.randomUUID()}.db`);
  const database = new DatabaseSync(path);
  database.exec(`${VERSION_2};
    insert into sessions values (1, 's1', '/work', null, null, null, 1, null, 0, 1700000000000), (2, 'fork', '/work', null, null, 's1', 0, null, 0, 0);
    insert into entries values (4294967297, 0, 1700000000000, '{"type":"session_created","format":1,"cwd":"/work"}'),
      (4294967298, 1, 1700000000000, '{"type":"title","title":"a"}'), (8589934593, 0, 0, '{"type":"session_created","format":1,"cwd":"/work"}');
    insert into blobs values ('s1', 'abc', x'01'), ('fork', 'abc', x'01'), ('fork', 'def', x'02')`);
  database.close();
  return path;
}

/** A file of version 3: a session whose run waits, one whose run has failed and begun again, one without a run, and their metadata. */
function fileOfVersion3(): string {
  const path = fileOfVersion2();
  const database = new DatabaseSync(path);
  database.exec(`alter table entries add column checksum integer; alter table blobs rename column session_id to first_session_id;
    create table blob_uses (session_id text not null, sha256 text not null, primary key (session_id, sha256)) without rowid;
    create index blob_uses_by_hash on blob_uses (sha256);
    delete from blobs where rowid not in (select min(rowid) from blobs group by sha256);
    create unique index blobs_by_hash on blobs (sha256);
    insert into sessions values (3, 'again', '/work', null, '{"user":"ann"}', null, 1, null, 0, 0), (4, 'damaged', '/work', null, null, null, 1, null, 0, 0);
    insert into entries values (4294967299, 1, 0, '{"type":"run_started","runId":"r"}', null),
      (4294967300, 1, 0, '{"type":"run_left","runId":"r","waits":{}}', null), (4294967301, 1, 0, '{"type":"title","title":"a"}', null),
      (12884901889, 1, 0, '{"type":"run_ended","subtype":"error","error":{"code":"C","message":"m"}}', null),
      (12884901890, 1, 0, '{"type":"run_started","runId":"r"}', null), (17179869185, 1, 0, '{"type":"run_started"', null);
    pragma user_version = 3`);
  database.close();
  return path;
}

/** The tables and indexes of a file, columns sorted. */
function shapeOf(path: string): unknown {
  const database = new DatabaseSync(path);
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  const shape = tables.map(({ name }) => [
    name,
    database
      .prepare('select name, type, "notnull", pk from pragma_table_info(?) order by name')
      .all(String(name))
      .map((row) => Object.values(row).join(' ')),
  ]);
  const indexes = database.prepare("select name from sqlite_schema where type = 'index' order by name").all();
  database.close();
  return [shape, indexes.map(({ name }) => name)];
}

describe('migrate', () => {
  it('brings a file of version 1 forward with all it holds', async () => {
    await using store = sqliteStore({ path: fileOfVersion1() });

    const { sessions } = await store.list();

    expect(sessions).toMatchObject([
      { sessionId: 'fork', forkedFrom: 's1', head: 1 },
      { sessionId: 's1', title: 'A title', head: 2, updatedAt: '2023-11-14T22:13:20.000Z' },
    ]);
    expect((await Array.fromAsync(store.read('s1'))).map(({ seq, epoch }) => [seq, epoch])).toEqual([
      [1, 0],
      [2, 3],
    ]);
    expect((await store.inbox('s1')).map(({ message }) => message.id)).toEqual(['m1']);
    expect(await store.getBlob('s1', 'abc')).toEqual(new Uint8Array([1]));
    expect(await store.latestSnapshot('s1', 1)).toBeUndefined(); // a cache, of another type then
    const lease = await store.acquire('s1', 'me', 1000);
    expect(lease).toMatchObject({ head: 2, epoch: 4 });
    expect(await store.append('s1', lease!, [{ type: 'metadata', metadata: { a: '1' } }])).toBe(3);
  });

  it('brings a file of version 2 forward: its entries need no checksum, its blobs are there once', async () => {
    const path = fileOfVersion2();
    await using store = sqliteStore({ path });

    const { body } = (await Array.fromAsync(store.read('s1')))[1]!;

    expect(body).toEqual({ type: 'title', title: 'a' });
    const asked = [
      await store.getBlob('s1', 'abc'),
      await store.getBlob('fork', 'abc'),
      await store.getBlob('fork', 'def'),
    ];
    expect(asked.map((bytes) => bytes?.[0])).toEqual([1, 1, 2]);
    expect(await store.getBlob('s1', 'def')).toBeUndefined();
    expect(rowsIn(path, 'blobs')).toBe(2);
  });

  it('finds out from the logs of a file of version 3 what its sessions are doing', async () => {
    await using store = sqliteStore({ path: fileOfVersion3() });

    const { sessions } = await store.list();
    const ofAnn = await store.list({ metadata: { user: 'ann' } });

    const found = sessions.map(({ sessionId, state, lastResult }) => [sessionId, state, lastResult]);
    expect(found.toSorted(([one], [other]) => (one! < other! ? -1 : 1))).toEqual([
      ['again', 'interrupted', { subtype: 'error', error: { code: 'C', message: 'm' } }],
      ['damaged', 'idle', undefined],
      ['fork', 'idle', undefined],
      ['s1', 'waiting', undefined],
    ]);
    expect(ofAnn.sessions.map(({ sessionId }) => sessionId)).toEqual(['again']);
  });

  it('reads a file of version 3 that cannot be written as if it were upgraded', async () => {
    const path = fileOfVersion3();
    const database = new DatabaseSync(path, { readOnly: true });
    migrate(database, path, true);
    const states = database.prepare('select id, run, last_result, waits_until from sessions order by id').all();
    const ofAnn = database
      .prepare("select session_id from session_metadata where key = 'user' and value = 'ann'")
      .all();
    database.close();

    expect(states.map((row) => Object.values(row))).toEqual([
      ['again', 'open', '{"subtype":"error","error":{"code":"C","message":"m"}}', null],
      ['damaged', null, null, null],
      ['fork', null, null, null],
      ['s1', 'waiting', null, null],
    ]);
    expect(ofAnn.map((row) => row['session_id'])).toEqual(['again']);
    await using store = sqliteStore({ path }); // and it is upgraded where it can be
    expect((await store.list({ state: 'waiting' })).sessions).toHaveLength(1);
  });

  it.each([
    [1, fileOfVersion1],
    [2, fileOfVersion2],
    [3, fileOfVersion3],
  ])('leads from version %i to the same tables as a new file has', async (version, make) => {
    const [old, fresh] = [make(), join(folder, `fresh-${version}.db`)];
    for (const path of [old, fresh]) {
      await using store = sqliteStore({ path });
      await store.list();
    }

    expect(shapeOf(old)).toEqual(shapeOf(fresh));
  });

  it('is done once when two processes open an old file at the same moment', async () => {
    const path = fileOfVersion2();
    const open = `const { sqliteStore } = await import(${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)});
      const store = sqliteStore({ path: ${JSON.stringify(path)} });
      console.log((await store.list()).sessions.length);`;
    const run = promisify(execFile);

    const said = await Promise.all(
      [1, 2].map(() => run(process.execPath, ['--conditions=@x/source', '--input-type=module', '-e', open])),
    );

    expect(said.map(({ stdout }) => stdout)).toEqual(['2\n', '2\n']);
  });

  it('leaves a file as it was when a step fails', () => {
    const path = fileOfVersion1();
    const before = shapeOf(path);
    const database = new DatabaseSync(path);
    database.exec('drop table snapshots'); // so that the last step cannot be done
    const damaged = shapeOf(path);

    expect(() => migrate(database, path)).toThrow('snapshots');
    database.close();

    expect(damaged).not.toEqual(before);
    expect(shapeOf(path)).toEqual(damaged);
  });
});
