import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

/** More than clocks of file systems may be behind. */
const LATER_MS = 60;
const folder = mkdtempSync(join(tmpdir(), 'birth-'));
const hasBirthTimes = process.platform === 'linux' && (await isBornOnce(join(folder, 'probe')));
rmSync(folder, { recursive: true });

/** True where a file keeps its time of birth when it is changed. */
async function isBornOnce(probe: string): Promise<boolean> {
  writeFileSync(probe, '');
  const born = statSync(probe).birthtimeMs;
  await sleep(LATER_MS);
  chmodSync(probe, 0o600);
  return born > 0 && statSync(probe).birthtimeMs === born;
}

/** A message before calls, in a directory with an ignored file and a large one; what a rewind to it then says. */
async function rewound(line: string, { force = false } = {}) {
  const { root, file } = place();
  writeFileSync(join(root, '.gitignore'), '.env\nbuild/\n');
  writeFileSync(join(root, '.env'), 'KEY=1');
  writeFileSync(join(root, 'a'), 'a');
  await sleep(LATER_MS);
  const checkpointer = await opened({ root, file }, { maxFileBytes: 1_000 });
  await checkpointer.checkpoint('m');
  await checkpointer.around(async () => shell(root, line), { callId: 'c' });
  const result = await checkpointer.rewind('m', { force });
  const { '.gitignore': _, ...files } = picture(root);
  const stay = result.unrestorable.map(({ filePath }) => filePath.slice(root.length + 1));
  return { files, stay, success: result.success, rewindId: result.rewindId, checkpointer, root };
}

describe.skipIf(!hasBirthTimes)('a rewind, where files have a time of birth', () => {
  it.each([
    ['an ignored file that was moved', 'mv .env env.bak', ['env.bak']],
    ['one that was moved and written to', 'mv .env env.bak; echo more >> env.bak', ['env.bak']],
    ['one among others that were made and removed', 'echo x > b; rm a; mv .env c', ['c']],
  ])('leaves %s where it is, and names it', async (_, line, stay) => {
    const result = await rewound(line);

    expect(result).toMatchObject({ stay, success: false });
    expect(Object.keys(result.files)).toEqual(['a', ...stay].toSorted());
    expect(result.files[stay[0]!]).toMatch(/KEY=1/);
  });

  it('tells of the call that has moved it, as of any other change', async () => {
    const { checkpointer } = await rewound('mv .env env.bak');
    const { fileChanges = [] } = (await checkpointer.history('m')) ?? {};

    expect(fileChanges.map(({ operation, callIds }) => [operation, callIds])).toEqual([['create', ['c']]]);
  });

  it('removes it with force, and brings it back with the next one', async () => {
    const { files, stay, success, rewindId, checkpointer, root } = await rewound('mv .env env.bak', { force: true });
    expect([Object.keys(files), stay, success]).toEqual([['a'], [], true]);

    await checkpointer.rewind(rewindId!);
    expect(picture(root)['env.bak']).toMatch(/KEY=1/);
  });

  it.each([
    ['a copy', 'cp -p .env b'],
    ['a second name', 'ln .env b'],
    ['one that was remembered and moved', 'mv a b'],
    ['one that was remembered, moved and written to', 'mv a b; echo more >> b'],
    ['one that was written and moved', 'echo x > build; mv build b'],
  ])('removes %s (control)', async (_, line) => {
    expect(await rewound(line)).toMatchObject({ files: { a: '644 a' }, stay: [], success: true });
  });
});
