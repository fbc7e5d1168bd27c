import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

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
