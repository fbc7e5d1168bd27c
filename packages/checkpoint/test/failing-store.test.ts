import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hostWorkspace } from '@x/sandbox';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

describe('checkpoints whose file fails', () => {
  it('after a rewind tell what was done, and record it as soon as they can: it is not done again', async () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), 'old');
    await (await opened({ root, file })).close();
    const database = new DatabaseSync(file); // fails the end of a rewind until a third checkpoint is made
    database.exec(`CREATE TRIGGER fails BEFORE UPDATE ON rewinds WHEN (SELECT count(*) FROM points) < 3
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    database.close();
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => writeFileSync(join(root, 'a'), 'new'));

    const { success, restoredFiles, errors, rewindId } = await checkpointer.rewind('m1');

    expect([success, restoredFiles, readFileSync(join(root, 'a'), 'utf8')]).toEqual([false, [join(root, 'a')], 'old']);
    expect(errors).toEqual([{ filePath: root, error: expect.stringMatching(/not recorded yet.*disk is full/) }]);
    await checkpointer.checkpoint('m2');
    await checkpointer.around(async () => writeFileSync(join(root, 'a'), 'new')); // as before the rewind
    await checkpointer.close();
    const again = await opened({ root, file });
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('new');
    expect(await again.rewind(rewindId!)).toMatchObject({ success: true });
    expect(await again.rewind('m1')).toMatchObject({ success: true, conflicts: [] });
    expect(picture(root)).toEqual({ a: '644 old' });
  });

  it('remember calls at work until a look at all files has succeeded, over the end of their process', async () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), 'start');
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => {
      writeFileSync(join(root, 'a'), 'agent');
      shell(root, 'mv ../root ../away'); // the look at the end finds no directory
    });
    shell(join(root, '..'), 'mv away root');
    await checkpointer.watch(hostWorkspace({ cwd: root }), 'door').writeFile('c', new TextEncoder().encode('door'));
    await checkpointer.close();

    const again = await opened({ root, file });

    expect(await again.rewind('m1')).toMatchObject({ success: false, conflicts: [join(root, 'a')] });
    expect(await again.rewind('m1', { force: true })).toMatchObject({ success: true });
    expect(picture(root)).toEqual({ a: '644 start' });
  });
});
