import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

describe('leaveOut', () => {
  it('names files that others write, with the neighbours of a database, and directories: no rewind touches them', async () => {
    const { root, file } = place();
    mkdirSync(join(root, 'kept'));
    for (const name of ['own.db', 'kept/one', 'a']) writeFileSync(join(root, name), 'old');
    const checkpointer = await opened({ root, file }, { leaveOut: ['own.db', join(root, 'kept')] });
    await checkpointer.checkpoint('m1');

    const names = ['own.db', 'own.db-wal', 'own.db-shm', 'kept/one', 'kept/two', 'a', 'own.db.txt'];
    await checkpointer.around(async () => {
      for (const name of names) writeFileSync(join(root, name), 'new');
    });
    const { success, skipped } = await checkpointer.rewind('m1');

    expect(success).toBe(true);
    expect(skipped.map(({ reason }) => reason)).toContain('leaveOut');
    expect(Object.keys(picture(root))).toEqual([
      'a',
      'kept',
      'kept/one',
      'kept/two',
      'own.db',
      'own.db-shm',
      'own.db-wal',
    ]);
    expect([readFileSync(join(root, 'own.db'), 'utf8'), readFileSync(join(root, 'a'), 'utf8')]).toEqual(['new', 'old']);
  });

  it('tells of a file below such a directory that a door has written', async () => {
    const { root, file } = place();
    mkdirSync(join(root, 'kept/deep'), { recursive: true });
    const checkpointer = await opened({ root, file }, { leaveOut: ['kept'] });
    await checkpointer.checkpoint('m1');
    const { hostWorkspace } = await import('@x/sandbox');
    await checkpointer.watch(hostWorkspace({ cwd: root }), 'call').writeFile('kept/deep/a', new Uint8Array(1));

    await checkpointer.rewind('m1');
    expect(existsSync(join(root, 'kept/deep/a'))).toBe(true);
  });
});

describe('waitMs', () => {
  it('waits for another who has the file open; without it nobody waits', async () => {
    const { root, file } = place();
    const one = await opened({ root, file });
    await expect(opened({ root, file })).rejects.toMatchObject({ code: 'CHECKPOINT_BUSY' });

    const waiting = opened({ root, file }, { waitMs: 60_000 });
    await one.close();
    expect(await (await waiting).statistics()).toMatchObject({ checkpointCount: 0 });
  });
});

describe('a copy up to a message', () => {
  it('rewinds to that one and earlier ones, and knows no later one', async () => {
    const { root, file } = place();
    const checkpointer = await opened({ root, file });
    for (const name of ['m1', 'm2', 'm3']) {
      await checkpointer.checkpoint(name);
      await checkpointer.around(async () => shell(root, `touch ${name}`), { callId: `call ${name}` });
    }
    const copies = { m2: `${file}.2`, none: `${file}.none` };
    await checkpointer.copyTo(copies.m2, { upTo: 'm2' });
    await checkpointer.copyTo(copies.none, { upTo: 'unknown' });
    await expect(checkpointer.copyTo(`${file}.3`, { upto: 'm2' } as object)).rejects.toMatchObject({ field: 'upto' });

    const [copy, empty] = [await opened({ root, file: copies.m2 }), await opened({ root, file: copies.none })];
    expect([await copy.rewind('m3'), await empty.rewind('m1')]).toMatchObject([{ success: false }, { success: false }]);
    await copy.rewind('m2');
    expect(Object.keys(picture(root))).toEqual(['m1']);
  });
});

describe('begin()', () => {
  it('spans work that is no one function; its end is there once', async () => {
    const { root, file } = place();
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    const end = await checkpointer.begin({ callId: 'c' });
    shell(root, 'echo agent > a');
    await expect(checkpointer.rewind('m1')).rejects.toMatchObject({ code: 'CHECKPOINT_BUSY' });
    await Promise.all([end(), end()]);
    shell(root, 'echo mine > b');

    expect(await checkpointer.rewind('m1', { callId: 'c' })).toMatchObject({ success: true });
    expect(Object.keys(picture(root))).toEqual(['b']);
  });
});
