import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCheckpointer } from '../src/index.ts';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

describe('what is kept', () => {
  it('survives the process, and a copy for a fork takes the later changes for somebody else’s (F16, F28)', async () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), 'start');
    const first = await opened({ root, file });
    await first.checkpoint('m1');
    await first.around(async () => shell(root, 'echo 1 > a; echo 1 > b'));
    await first.copyTo(`${file}.fork`);
    await first.around(async () => shell(root, 'echo 2 > a'));
    await first.close();

    const fork = await opened({ root, file: `${file}.fork` });
    expect(await fork.rewind('m1')).toMatchObject({ conflicts: [join(root, 'a')], deletedFiles: [join(root, 'b')] });
    await fork.close();
    const again = await opened({ root, file });
    expect(await again.statistics()).toEqual({ checkpointCount: 1, trackedFileCount: 2, pendingChangeCount: 3 });
    await again.rewind('m1');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('start');
    await expect(again.copyTo(`${file}.fork`)).rejects.toMatchObject({ field: 'file' });
  });

  it('leaves out what is ignored at the first look, and says so once for each rule (F23)', async () => {
    const { root, file } = place();
    shell(
      root,
      `mkdir -p node_modules/m .git logs/deep; echo x | tee node_modules/m/x .git/x logs/1.log logs/2.log a logs/keep.log
      printf '*.log\\n!keep.log\\n' > .gitignore; echo /b > logs/.gitignore; echo x > logs/b; mkfifo pipe`,
    );
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    const before = picture(root + '/logs');
    await checkpointer.around(async () =>
      shell(root, `echo y | tee node_modules/m/x .git/x logs/1.log a logs/keep.log logs/b > .gitignore`),
    );

    const result = await checkpointer.rewind('m1');

    expect(result.restoredFiles.toSorted()).toEqual(
      ['.gitignore', 'a', 'logs/keep.log'].map((name) => join(root, name)),
    );
    expect(readFileSync(join(root, 'logs/1.log'), 'utf8')).toBe('y\n');
    expect(picture(root + '/logs')['keep.log']).toBe(before['keep.log']);
    expect(result.skipped.map(({ reason }) => reason).sort()).toEqual([
      '*.log',
      '.git',
      '/b',
      'node_modules/',
      'special file',
    ]);
  });

  it('keeps no file above the limits, and says that it cannot be restored (ZC10)', async () => {
    const { root, file } = place();
    for (const [name, size] of [
      ['large', 3_000],
      ['small', 10],
      ['x1', 900],
      ['x2', 901],
    ] as const) {
      writeFileSync(join(root, name), 'x'.repeat(size));
    }
    const checkpointer = await opened({ root, file }, { maxFileBytes: 2_000, maxTotalBytes: 1_500 });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(root, 'for f in *; do echo y > $f; done'));

    const { success, unrestorable, restoredFiles } = await checkpointer.rewind('m1');

    expect([success, unrestorable.length, restoredFiles.length]).toEqual([false, 2, 2]);
    expect(unrestorable).toContainEqual({
      filePath: join(root, 'large'),
      error: expect.stringContaining('maxFileBytes'),
    });
    expect(unrestorable.some(({ error }) => error.includes('maxTotalBytes'))).toBe(true);
  });

  it.each([
    ['one that a call has moved', 'mv large d/moved', ['large', 'd/moved']],
    ['what a call has packed one into', 'cp large d/packed; rm large', ['large', 'd/packed']],
    ['one from elsewhere', 'mv ../brought d/brought', ['d/brought']],
    ['one that lies over another by now', 'mv large small', ['large', 'small']],
    ['none that a call has made, and none that has grown (control)', 'cp large d/made; cat large >> small', []],
  ])('above the limits takes away nothing that could not come back: %s', async (_, line, stay) => {
    const { root, file } = place();
    shell(root, 'mkdir d; head -c 3000 /dev/zero | tee ../brought > large; echo small > small; sleep 0.05');
    const checkpointer = await opened({ root, file }, { maxFileBytes: 2_000 });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(root, `${line}; sleep 0.05; echo x > made`));

    const { success, unrestorable, deletedFiles } = await checkpointer.rewind('m1', { force: true });

    expect(success).toBe(stay.length === 0);
    expect(deletedFiles).toContain(join(root, 'made'));
    expect(unrestorable.map(({ filePath }) => relative(root, filePath))).toEqual(stay);
    expect(stay.filter((path) => path !== 'large').map((path) => statSync(join(root, path)).size)).toEqual(
      stay.filter((path) => path !== 'large').map(() => 3_000),
    );
  });

  it('counts the lines that come and go (F25), and is of this user alone', async () => {
    const { root, file } = place();
    writeFileSync(join(root, 'a'), 'one\ntwo\nthree\n');
    const checkpointer = await opened({ root, file });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(root, "printf 'one\\n2\\nthree\\nfour' > a; printf 'n\\nm\\n' > new"));

    const { changes, insertions, deletions } = await checkpointer.rewind('m1', { dryRun: true });

    expect(changes).toEqual([
      { filePath: join(root, 'a'), operation: 'modify', insertions: 1, deletions: 2 },
      { filePath: join(root, 'new'), operation: 'delete', insertions: 0, deletions: 2 },
    ]);
    expect([insertions, deletions, statSync(file).mode & 0o777]).toEqual([1, 4, 0o600]);
  });
});

describe('createCheckpointer', () => {
  it('refuses places that are none, or too much', async () => {
    const { root, file } = place();
    symlinkSync('/', join(root, 'all'));
    const cases: [object, object][] = [
      [{ cwd: join(root, 'missing') }, { field: 'cwd' }],
      [{ cwd: '/' }, { field: 'cwd' }],
      [{ cwd: join(root, 'all') }, { field: 'cwd' }],
      [{ cwd: homedir() }, { field: 'cwd' }],
      [{ cwd: join(homedir(), '..') }, { field: 'cwd' }],
      [{ file: join(root, 'inside.db') }, { field: 'file' }],
      [{ file: join(root, 'not/yet/inside.db') }, { field: 'file' }],
      [{ file: '/proc/x/y.db' }, {}],
      [{ maxFiles: -1 }, { field: 'maxFiles' }],
      [{ maxfiles: 1 }, { code: 'VALIDATION_ERROR' }],
    ];
    for (const [options, fault] of cases) {
      await expect(createCheckpointer({ cwd: root, file, ...options })).rejects.toMatchObject(fault);
    }
    writeFileSync(join(root, 'a'), '');
    mkdirSync(join(root, 'b'));
    await expect(createCheckpointer({ cwd: root, file, maxFiles: 2 })).rejects.toMatchObject({
      code: 'CHECKPOINT_TOO_LARGE',
    });
  });

  it('refuses a file that cannot be made, and says what to do', async () => {
    const { root } = place();
    const file = join(root, '..', 'text', 'checkpoints.db');
    writeFileSync(join(root, '..', 'text'), '');

    await expect(createCheckpointer({ cwd: root, file })).rejects.toMatchObject({
      code: 'CHECKPOINT_FILE',
      message: expect.stringMatching(
        /cannot be opened: .*give this user the right to write there, or name another place/,
      ),
    });
  });

  it('refuses files of something else, of another directory, and of another process', async () => {
    const { root, file } = place();
    await (await opened({ root, file })).close();
    const other = place();
    await expect(createCheckpointer({ cwd: other.root, file })).rejects.toMatchObject({ code: 'CHECKPOINT_FILE' });
    writeFileSync(`${other.root}/../text`, 'This is a text, and no database of any kind.'.repeat(100));
    await expect(createCheckpointer({ cwd: root, file: `${other.root}/../text` })).rejects.toMatchObject({
      code: 'CHECKPOINT_FILE',
    });

    await opened({ root, file });
    const program = `import { createCheckpointer } from '${join(import.meta.dirname, '../src/index.ts')}';
      await createCheckpointer({ cwd: '${root}', file: '${file}' }).catch((error) => console.log(error.code)); process.exit()`;
    const { stdout } = spawnSync(process.execPath, [
      '--conditions=@x/source',
      '--no-warnings',
      '--input-type=module',
      '-e',
      program,
    ]);
    expect(String(stdout)).toBe('CHECKPOINT_BUSY\n');
  });

  it('does nothing any more once it is closed', async () => {
    const checkpointer = await opened(place());
    await checkpointer.close();
    await checkpointer.close();

    await expect(checkpointer.checkpoint('m')).rejects.toMatchObject({ code: 'CHECKPOINT_CLOSED' });
    await expect(checkpointer.around(async () => 1)).rejects.toMatchObject({ code: 'CHECKPOINT_CLOSED' });
  });

  it('does not keep its process alive', () => {
    const { root, file } = place();
    const program = `import { createCheckpointer } from '${join(import.meta.dirname, '../src/index.ts')}';
      await createCheckpointer({ cwd: '${root}', file: '${file}' }); console.log('done')`;
    const output = execFileSync(
      process.execPath,
      ['--conditions=@x/source', '--no-warnings', '--input-type=module', '-e', program],
      { timeout: 10_000 },
    );
    expect(String(output)).toBe('done\n');
  });
});
