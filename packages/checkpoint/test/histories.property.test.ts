import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCheckpointer } from '../src/index.ts';
import { act, call, deeds } from './history.ts';
import { pictureBesideGit as picture } from './picture.ts';
import { place, shell } from './support.ts';
import { UsersPaths } from './users-paths.ts';

const turns = fc.array(fc.array(deeds, { maxLength: 5 }), { minLength: 1, maxLength: 5 });

describe('random histories', { timeout: 240_000 }, () => {
  it('come back to any message, byte for byte, and again to their end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deeds, { maxLength: 8 }), turns, fc.nat(4), async (start, history, chosen) => {
        const { root, file } = place();
        for (const deed of start) act(root, deed);
        const checkpointer = await createCheckpointer({ cwd: root, file });
        try {
          const pictures: Record<string, string>[] = [];
          for (const [turn, done] of history.entries()) {
            pictures.push(picture(root));
            await checkpointer.checkpoint(`${turn}`);
            for (const deed of done) await call(checkpointer, root, deed);
          }
          const end = picture(root);
          const target = chosen % history.length;

          const { errors, rewindId } = await checkpointer.rewind(`${target}`);
          expect([errors, picture(root)]).toEqual([[], pictures[target]]);
          if (rewindId !== undefined) await checkpointer.rewind(rewindId);
          expect(picture(root)).toEqual(end);
        } finally {
          await checkpointer.close();
          rmSync(root, { recursive: true });
        }
      }),
      { numRuns: 10 },
    );
  });

  it('with changes of the user’s in between leave all of these alone', async () => {
    const steps = fc.array(fc.record({ deed: deeds, isUser: fc.boolean() }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(deeds, { maxLength: 8 }), steps, async (start, history) => {
        const { root, file } = place();
        for (const deed of start) act(root, deed);
        const checkpointer = await createCheckpointer({ cwd: root, file });
        try {
          await checkpointer.checkpoint('m');
          const users = new UsersPaths();
          for (const { deed, isUser } of history) {
            const before = picture(root);
            if (isUser) act(root, deed);
            else await call(checkpointer, root, deed);
            users.note(before, picture(root), isUser);
          }
          const end = picture(root);
          await checkpointer.rewind('m');
          expect(users.touched(end, picture(root))).toEqual([]);
        } finally {
          await checkpointer.close();
          shell(root, 'rm -rf ../root');
        }
      }),
      { numRuns: 10 },
    );
  });
});
