import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { opened, place, shell } from './support.ts';

/** A signal that is aborted as soon as a condition holds, whenever it is looked at. */
function abortedWhen(isAborted: () => boolean): AbortSignal {
  const { signal } = new AbortController();
  return Object.defineProperty(signal, 'aborted', { get: isAborted });
}

async function begun() {
  const { root, file } = place();
  shell(root, 'for i in $(seq 20); do echo "old $i" > $i; done');
  const before = picture(root);
  const checkpointer = await opened({ root, file });
  await checkpointer.checkpoint('m1');
  await checkpointer.around(async () => shell(root, 'for i in $(seq 20); do echo "new $i" > $i; done; touch made'));
  return { root, before, after: picture(root), checkpointer };
}

describe('a rewind that is aborted (ZC14)', () => {
  it('before a file is changed changes nothing, and can be done later', async () => {
    const { root, before, after, checkpointer } = await begun();
    const { checkpointCount } = await checkpointer.statistics();
    const controller = new AbortController();

    const rewinding = checkpointer.rewind('m1', { signal: controller.signal });
    controller.abort();

    await expect(rewinding).rejects.toMatchObject({ code: 'ABORTED', message: expect.stringContaining('no file') });
    expect(picture(root)).toEqual(after);
    expect((await checkpointer.statistics()).checkpointCount).toBe(checkpointCount);
    expect(await checkpointer.rewind('m1', { signal: new AbortController().signal })).toMatchObject({ success: true });
    expect(picture(root)).toEqual(before);
  });

  it('at any moment leaves all files as they are, or as they were', async () => {
    const ends = new Set<string>();
    for (let looks = 0; looks < 6; looks++) {
      const { root, before, after, checkpointer } = await begun();
      let looked = 0;
      const signal = abortedWhen(() => looked++ >= looks);

      const end = await checkpointer.rewind('m1', { signal }).then(
        ({ success }) => `success ${success}`,
        ({ code }: { code: string }) => code,
      );

      expect(picture(root)).toEqual(end === 'ABORTED' ? after : before);
      ends.add(end);
    }
    expect([...ends]).toEqual(['ABORTED', 'success true']);
  });

  it('once a file is changed is completed', async () => {
    const { root, before, checkpointer } = await begun();
    const names = Array.from({ length: 20 }, (_, at) => `${at + 1}`);
    const isBegun = () => names.some((name) => readFileSync(join(root, name), 'utf8').startsWith('old'));

    const result = await checkpointer.rewind('m1', { signal: abortedWhen(isBegun) });

    expect([result.success, isBegun()]).toEqual([true, true]);
    expect(picture(root)).toEqual(before);
  });

  it('is refused with a signal that is none', async () => {
    const { checkpointer } = await begun();

    await expect(checkpointer.rewind('m1', { signal: 1 as unknown as AbortSignal })).rejects.toMatchObject({
      field: 'signal',
    }); // wrong on purpose
  });
});
