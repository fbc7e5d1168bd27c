import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostWorkspace } from '@x/sandbox';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

async function watched() {
  const { root, file } = place();
  shell(root, 'mkdir d; echo start > d/a; ln -s d link; mkdir ../outside');
  const checkpointer = await opened({ root, file });
  await checkpointer.checkpoint('m1');
  const workspace = checkpointer.watch(hostWorkspace({ cwd: root }), 'call');
  const signal = new AbortController().signal;
  const run = async (command: string, readonly = false) => {
    const running = workspace.spawn(command, { signal, readonly });
    let output = '';
    for await (const { bytes } of running.output) output += Buffer.from(bytes).toString();
    return { output, ...(await running.exit) };
  };
  return { root, checkpointer, workspace, run };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a watched workspace', () => {
  it('records what its doors change, wherever a link leads (F01)', async () => {
    const { root, checkpointer, workspace } = await watched();
    const before = picture(root);

    await workspace.writeFile('link/a', bytes('agent'));
    await workspace.writeFile('new/deep/b', bytes('agent'));
    await workspace.makeDirectory('made');
    await workspace.makeLink('link2', 'd');
    await workspace.remove('link');
    await workspace.writeFile(join(root, '../outside/x'), bytes('outside'));
    const { deletedFiles, success } = await checkpointer.rewind('m1', { callId: 'call' });

    expect(picture(root)).toEqual(before);
    expect([success, deletedFiles.length]).toEqual([true, 5]);
    expect(readFileSync(join(root, '../outside/x'), 'utf8')).toBe('outside');
  });

  it('takes places as they are when it is told to (noFollow)', async () => {
    const { root, checkpointer, workspace } = await watched();
    const before = picture(root);
    const bound = { noFollow: true };

    await workspace.writeFile(join(root, 'd/a'), bytes('agent'), bound);
    await workspace.remove(join(root, 'link'), bound);
    await workspace.makeLink(join(root, 'link'), 'elsewhere', bound);
    await expect(workspace.remove('d')).rejects.toThrow(/ENOTEMPTY|not empty/i);
    await checkpointer.rewind('m1');

    expect(picture(root)).toEqual(before);
  });

  it('records what its commands change before their result is there, and looks at no readonly one (F22)', async () => {
    const { root, checkpointer, run } = await watched();
    const before = picture(root);

    expect(await run('echo told; echo agent > d/a; exit 3')).toMatchObject({ output: 'told\n', code: 3 });
    expect((await checkpointer.statistics()).pendingChangeCount).toBe(1);
    await run('echo seen > d/unseen', true);
    expect((await checkpointer.statistics()).pendingChangeCount).toBe(1);

    await checkpointer.rewind('m1');
    expect(picture(root)).toEqual({ ...before, 'd/unseen': '644 seen\n' });
  });

  it('records what a killed command has changed, also before it was begun', async () => {
    const { checkpointer, workspace, root } = await watched();
    const signal = new AbortController().signal;
    const running = workspace.spawn('echo agent > d/a; sleep 100', { signal });
    for (let tries = 0; !readFileSync(join(root, 'd/a'), 'utf8').includes('agent'); tries++) {
      if (tries > 500) throw new Error('the command does not begin');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    running.kill();
    const early = workspace.spawn('sleep 100', { signal });
    early.kill();
    expect([(await running.exit).code, (await early.exit).code]).toEqual([null, null]);

    expect((await checkpointer.rewind('m1')).restoredFiles).toEqual([join(root, 'd/a')]);
  });

  it('tells of a file that is left out and was written all the same (F23)', async () => {
    const { root, checkpointer, workspace } = await watched();
    mkdirSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'node_modules/x'), '');
    symlinkSync('x', join(root, 'node_modules/l'));

    await workspace.writeFile('node_modules/x', bytes('agent'));

    const { skipped } = await checkpointer.rewind('m1');
    expect(skipped.map(({ reason }) => reason)).toEqual(['node_modules/']);
    expect(readFileSync(join(root, 'node_modules/x'), 'utf8')).toBe('agent');
  });
});
