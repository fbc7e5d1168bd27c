import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { kept, opened, place, shell } from './support.ts';

const FILES = 60;
const program = (line: string) => `import { createCheckpointer } from '${join(import.meta.dirname, '../src/index.ts')}';
  const open = (options) => createCheckpointer(options); ${line}`;

/** Runs a program and kills it some time after its first word. */
async function killed(code: string, afterMs: number): Promise<void> {
  const flags = ['--conditions=@x/source', '--no-warnings', '--input-type=module', '-e', code];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  await sleep(afterMs);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a process that is killed', () => {
  it.each([1, 20, 60])(
    'in a rewind, after %i ms, leaves whole files, and the next one completes it (ZC11)',
    async (ms) => {
      const { root, file } = place();
      shell(root, `for i in $(seq ${FILES}); do echo "old $i" > $i; done`);
      const before = picture(root);
      const first = await opened({ root, file });
      await first.checkpoint('m1');
      await first.around(async () => shell(root, `for i in $(seq ${FILES}); do echo "new $i" > $i; done`));
      const after = picture(root);
      await first.close();

      await killed(
        program(
          `const one = await open({ cwd: '${root}', file: '${file}' }); console.log('begin'); await one.rewind('m1'); setInterval(() => {}, 1e6)`,
        ),
        ms,
      );

      const mixed = picture(root);
      const isTemporary = (path: string) => path.startsWith('.agent-sdk-tmp-'); // swept with the next write
      expect(
        Object.keys(mixed).filter(
          (path) => !isTemporary(path) && mixed[path] !== before[path] && mixed[path] !== after[path],
        ),
      ).toEqual([]);
      const again = await opened({ root, file });
      const begun = picture(root);
      expect([before, after]).toContainEqual(begun); // completed, or not begun
      expect((await again.rewind('m1')).success).toBe(true);
      expect(picture(root)).toEqual(before);
    },
  );

  it('while a call is at work makes what is found then a conflict, and loses nothing before it', async () => {
    const { root, file } = place();
    shell(root, 'echo old > a; echo old > b');
    const line = `const one = await open({ cwd: '${root}', file: '${file}' }); await one.checkpoint('m1');
      const fs = await import('node:fs'); await one.around(async () => fs.writeFileSync('${root}/a', 'new'));
      await one.around(async () => { fs.writeFileSync('${root}/b', 'new'); console.log('at work'); await new Promise((resolve) => setTimeout(resolve, 1e6)) })`;

    await killed(program(line), 20);

    const again = await opened({ root, file });
    const [a, b] = [join(root, 'a'), join(root, 'b')];
    expect(await again.rewind('m1')).toMatchObject({ success: false, restoredFiles: [a], conflicts: [b] });
    expect(picture(root)).toEqual({ a: '644 old\n', b: '644 new' });
    expect(await again.rewind('m1', { force: true })).toMatchObject({ success: true, restoredFiles: [b] });
    expect(picture(root)).toEqual({ a: '644 old\n', b: '644 old\n' });
  });
});

describe('a rewind that was cut off', () => {
  it.each([
    ['nothing', 'true'],
    ['a removed file alone', 'rm fresh/file'],
    ['what becomes of another kind away', 'rm link other fresh/file; rmdir fresh; rm swapped'],
    ['a link away, and a directory without its mode', 'rm link swapped; mkdir -m 711 swapped'],
    [
      'all but the modes',
      'rm -r link other fresh swapped; ln -s a link; echo o > other; mkdir swapped; echo z > swapped/z; echo old > a',
    ],
  ])('is completed with %s done, asks no questions before its message, and can be taken back', async (_, done) => {
    const { root, file } = place();
    shell(root, 'echo old > a; ln -s a link; echo o > other; mkdir -m 700 swapped; echo z > swapped/z');
    const keeper = kept({ root, file });
    keeper.scan(null);
    const first = picture(root);
    keeper.point({ message: 'm0', role: 'user', at: 1 });
    shell(root, 'echo old > a; chmod 600 a');
    keeper.scan(['one']);
    const second = picture(root);
    keeper.point({ message: 'm', role: 'user', at: 2 });
    shell(
      root,
      'echo new > a; ln -sfn other link; rm other; ln -s a other; rm -r swapped; echo s > swapped; mkdir fresh; echo f > fresh/file',
    );
    keeper.scan(['two']);
    const third = picture(root);
    keeper.begin('rewind', keeper.plan({ message: 'm', force: false })!.actions, 3);
    shell(root, done);
    keeper.close();

    const checkpointer = await opened({ root, file });
    const completed = picture(root);
    const { errors } = await checkpointer.rewind('m0');
    const begun = picture(root);
    const again = await checkpointer.rewind('rewind');

    expect(completed).toEqual(second);
    expect([errors, begun]).toEqual([[], first]);
    expect([again.errors, picture(root)]).toEqual([[], third]);
  });
});
