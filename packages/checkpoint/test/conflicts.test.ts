import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostWorkspace } from '@x/sandbox';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

/** A directory with a file `a`, and checkpoints with the first message. */
async function begun() {
  const { root, file } = place();
  const at = (path: string) => join(root, path);
  writeFileSync(at('a'), 'start\n');
  const checkpointer = await opened({ root, file });
  await checkpointer.checkpoint('m1');
  const call = (line: string, callId?: string) =>
    checkpointer.around(async () => shell(root, line), callId === undefined ? {} : { callId });
  const text = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined);
  return { root, file, at, checkpointer, call, text };
}

describe('what somebody else has changed', () => {
  it('after a call stays as it is, and is told; force restores it, and the rewind of that brings it back (F13, ZC06)', async () => {
    const { checkpointer, call, at, text } = await begun();
    await call('echo agent > a; echo agent > b');
    writeFileSync(at('a'), 'mine');

    const result = await checkpointer.rewind('m1');
    expect(result).toMatchObject({ success: false, conflicts: [at('a')], deletedFiles: [at('b')], restoredFiles: [] });
    expect(result.errors).toMatchObject([{ filePath: at('a') }]);
    expect([text('a'), text('b')]).toEqual(['mine', undefined]);

    const forced = await checkpointer.rewind('m1', { force: true });
    expect([forced.success, text('a')]).toEqual([true, 'start\n']);
    await checkpointer.rewind(forced.rewindId ?? 'none');
    expect(text('a')).toBe('mine');
  });

  it('before the first touch of a call comes back, and between two touches is a conflict (F24)', async () => {
    const { checkpointer, call, at, text } = await begun();
    writeFileSync(at('a'), 'mine, before');
    await call('echo agent > a');
    expect((await checkpointer.rewind('m1')).success).toBe(true);
    expect(text('a')).toBe('mine, before');

    await call('echo 1 > a');
    writeFileSync(at('a'), 'mine, between');
    await call('echo 2 > a');
    const result = await checkpointer.rewind('m1');
    expect([result.conflicts, text('a')]).toEqual([[at('a')], '2\n']);
  });

  it('is not touched when no call has (F21, ZC05)', async () => {
    const { checkpointer, call, at, root } = await begun();
    await call('mkdir made; echo agent > made/x');
    for (const name of ['own', 'made/own']) writeFileSync(at(name), 'mine');
    const before = picture(root);

    const result = await checkpointer.rewind('m1');

    const { 'made/x': _, ...left } = before;
    expect(picture(root)).toEqual(left);
    expect([result.deletedFiles, result.success]).toEqual([[at('made/x')], true]);
  });

  it('a directory that it has removed is made again for a file that comes back, and goes with it', async () => {
    const { checkpointer, call, at, text, root } = await begun();
    await call('mkdir -p d/e empty; echo agent > d/e/x; echo agent > d/y');
    await checkpointer.checkpoint('m2');
    await call('rm d/e/x');
    for (const name of ['d', 'empty']) rmSync(at(name), { recursive: true });

    const { restoredFiles, rewindId } = await checkpointer.rewind('m2');

    expect([restoredFiles, text('d/e/x')]).toEqual([[at('d/e/x')], 'agent\n']);
    expect([existsSync(at('d/y')), existsSync(at('empty'))]).toEqual([false, false]);
    await checkpointer.rewind(rewindId ?? 'none');
    expect(Object.keys(picture(root))).toEqual(['a']);
  });

  it('while no checkpoints were open is somebody else’s as well', async () => {
    const { checkpointer, call, at, text, root, file } = await begun();
    await call('echo agent > a');
    await checkpointer.close();
    writeFileSync(at('a'), 'mine');

    const again = await opened({ root, file });
    expect((await again.rewind('m1')).conflicts).toEqual([at('a')]);
    expect(text('a')).toBe('mine');
  });

  it('under a look that failed is a conflict: whose it is cannot be said', async () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), 'start');
    const problems: unknown[] = [];
    const checkpointer = await opened({ root, file }, { onProblem: (error) => void problems.push(error) });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => {
      writeFileSync(join(root, 'a'), 'agent');
      shell(root, 'mv ../root ../away'); // the look at the end finds no directory
    });
    shell(join(root, '..'), 'mv away root; echo mine > root/b');
    await checkpointer.watch(hostWorkspace({ cwd: root }), 'door').writeFile('c', new TextEncoder().encode('door'));
    await checkpointer.around(async () => undefined);

    const result = await checkpointer.rewind('m1');

    expect(problems).toMatchObject([{ code: 'CHECKPOINT_ROOT' }]);
    expect(result.conflicts.toSorted()).toEqual([join(root, 'a'), join(root, 'b')]);
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('mine\n');
  });
});

describe('which changes are taken back', () => {
  it('those since the message: the oldest state after it (F06)', async () => {
    const { checkpointer, call, text } = await begun();
    for (const turn of [1, 2, 3]) {
      await checkpointer.checkpoint(`turn ${turn}`);
      await call(`echo ${turn} > a`);
    }

    await checkpointer.rewind('turn 2');
    expect(text('a')).toBe('1\n');
    await checkpointer.rewind('m1');
    expect(text('a')).toBe('start\n');
  });

  it('of one call alone, with the conflicts that follow from later ones (F27)', async () => {
    const { checkpointer, call, at, text } = await begun();
    await call('echo one > a; echo one > b', 'one');
    await call('echo two >> b; echo two > c', 'two');

    const result = await checkpointer.rewind('m1', { callId: 'one' });

    expect([result.restoredFiles, result.conflicts]).toEqual([[at('a')], [at('b')]]);
    expect([text('a'), text('b'), text('c')]).toEqual(['start\n', 'one\ntwo\n', 'two\n']);
    await expect(checkpointer.rewind('m1', { call: 'one' } as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('of these paths alone', async () => {
    const { checkpointer, call, at, text } = await begun();
    await call('echo x > a; mkdir d; echo x > d/x; echo x > dx');

    await checkpointer.rewind('m1', { paths: ['d', at('a')] });

    expect([text('a'), existsSync(at('d')), text('dx')]).toEqual(['start\n', false, 'x\n']);
    await expect(checkpointer.rewind('m1', { paths: ['../x'] })).rejects.toMatchObject({ field: 'paths' });
  });

  it('of calls at the same time, which share what is found', async () => {
    const { checkpointer, root, text } = await begun();
    const release = Promise.withResolvers<void>();
    const one = checkpointer.around(async () => release.promise, { callId: 'one' });
    await checkpointer.around(async () => shell(root, 'echo two > a'), { callId: 'two' });
    await expect(checkpointer.rewind('m1')).rejects.toMatchObject({ code: 'CHECKPOINT_BUSY' });
    release.resolve();
    await one;

    expect((await checkpointer.rewind('m1', { callId: 'one' })).success).toBe(true);
    expect(text('a')).toBe('start\n');
  });

  it('of a call that is at work twice at once, and by another’s doors meanwhile', async () => {
    const { checkpointer, root, text } = await begun();
    const release = Promise.withResolvers<void>();
    const twice = [1, 2].map((at) =>
      checkpointer.around(async () => (at === 1 ? undefined : release.promise), { callId: 'one' }),
    );
    await twice[0];
    await checkpointer.watch(hostWorkspace({ cwd: root }), 'two').writeFile('b', new TextEncoder().encode('two'));
    shell(root, 'echo one > a');
    release.resolve();
    await Promise.all(twice);

    const { restoredFiles } = await checkpointer.rewind('m1', { callId: 'one', dryRun: true });
    expect(restoredFiles).toEqual([`${root}/a`]);
    await checkpointer.rewind('m1');
    expect([text('a'), text('b')]).toEqual(['start\n', undefined]);
  });

  it('none for an unknown message, and none when nothing has changed (F04, F19, ZC16)', async () => {
    const { checkpointer, root } = await begun();
    const before = picture(root);

    const unknown = await checkpointer.rewind('nobody');
    const nothing = await checkpointer.rewind('m1');

    expect(unknown).toMatchObject({
      success: false,
      errors: [{ error: expect.stringContaining('There is no checkpoint of nobody') }],
    });
    expect(nothing).toMatchObject({ success: true, restoredFiles: [], deletedFiles: [], errors: [] });
    expect(nothing.rewindId).toBeUndefined();
    expect(picture(root)).toEqual(before);
  });

  it('none when the directory is gone or another one (ZC17)', async () => {
    const { checkpointer, call, root } = await begun();
    await call('echo x > a');
    rmSync(root, { recursive: true });

    expect(await checkpointer.rewind('m1')).toMatchObject({ success: false, errors: [{ filePath: root }] });
    mkdirSync(root);
    expect((await checkpointer.rewind('m1')).success).toBe(false);
    expect(picture(root)).toEqual({});
  });

  it('all that can be, when one cannot: a file with another name outside is told, the rest restored (F05)', async () => {
    const { checkpointer, call, at, text, root } = await begun();
    linkSync(at('a'), join(root, '../other-name'));
    writeFileSync(at('b'), 'start');
    await checkpointer.checkpoint('m2');
    await call('echo agent > a; echo agent > b; echo agent > c');

    const result = await checkpointer.rewind('m2');

    expect(result).toMatchObject({
      success: false,
      errors: [{ filePath: at('a') }],
      restoredFiles: [at('b')],
      deletedFiles: [at('c')],
    });
    expect([text('a'), text('b'), readFileSync(join(root, '../other-name'), 'utf8')]).toEqual([
      'agent\n',
      'start',
      'agent\n',
    ]);
  });
});
