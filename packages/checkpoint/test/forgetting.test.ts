import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kept, opened, place } from './support.ts';

const LIMIT = 100_000;

describe('checkpoints whose contents have no room any more', () => {
  it('are forgotten from the oldest on; later ones are exact, in the next process too', async () => {
    const { root, file } = place();
    const options = { maxTotalBytes: LIMIT };
    const states: Buffer[] = [];
    let checkpointer = await opened({ root, file }, options);
    for (let at = 0; at < 50; at++) {
      await checkpointer.checkpoint(`m${at}`);
      states.push(randomBytes(9_000));
      await checkpointer.around(async () => writeFileSync(join(root, 'a'), states[at]!));
      if (at % 20 === 9) {
        await checkpointer.close();
        checkpointer = await opened({ root, file }, options);
      }
    }

    const { checkpointCount } = await checkpointer.statistics();
    expect(checkpointCount).toBeGreaterThan(5);
    expect(checkpointCount).toBeLessThan(15);
    const forgotten = await checkpointer.rewind('m30');
    expect(forgotten).toMatchObject({ success: false, restoredFiles: [] });
    expect(forgotten.errors[0]?.error).toContain('maxTotalBytes');
    for (let at = 49; at > 50 - checkpointCount; at--) {
      expect(await checkpointer.rewind(`m${at}`)).toMatchObject({ success: true });
      expect(readFileSync(join(root, 'a'))).toEqual(states[at - 1]);
    }
    await checkpointer.close();
    expect(statSync(file).size).toBeLessThan(LIMIT * 2);
  });

  it('stay when they need nothing, or when forgetting them all would not make room', async () => {
    const { root, file } = place();
    writeFileSync(join(root, 'much'), randomBytes(90_000));
    const checkpointer = await opened({ root, file }, { maxTotalBytes: LIMIT });
    for (const message of ['m1', 'm2', 'm3']) {
      await checkpointer.checkpoint(message);
      await checkpointer.around(async () => writeFileSync(join(root, 'a'), message));
    }
    await checkpointer.checkpoint('m4');
    await checkpointer.around(async () => writeFileSync(join(root, 'b'), randomBytes(50_000)));

    expect(await checkpointer.statistics()).toMatchObject({ checkpointCount: 4 });
    expect(await checkpointer.rewind('m1')).toMatchObject({ success: true, restoredFiles: [] });
  });

  it('stay since the last message of the user', async () => {
    const { root, file } = place();
    const checkpointer = await opened({ root, file }, { maxTotalBytes: LIMIT });
    await checkpointer.checkpoint('first');
    await checkpointer.around(async () => writeFileSync(join(root, 'a'), randomBytes(60_000)));
    await checkpointer.checkpoint('second');
    for (let at = 0; at < 4; at++) {
      await checkpointer.checkpoint(`reply ${at}`, { role: 'assistant' });
      await checkpointer.around(async () => writeFileSync(join(root, `b${at}`), randomBytes(30_000)));
    }

    expect(await checkpointer.rewind('second')).toMatchObject({ success: true, deletedFiles: { length: 4 } });
    expect(await checkpointer.history('reply 0')).toBeDefined();
  });

  it('stay while a rewind is unfinished', () => {
    const { root, file } = place();
    const keeper = kept({ root, file }, { maxTotalBytes: LIMIT });
    keeper.scan(null);
    for (const message of ['m1', 'm2']) {
      keeper.point({ message, role: 'user', at: 0 });
      writeFileSync(join(root, 'a'), randomBytes(60_000));
      keeper.scan([message]);
    }
    expect(keeper.recordedPoint('m1')).toBeUndefined();
    keeper.point({ message: 'm3', role: 'user', at: 0 });
    keeper.begin('r', [], 0);
    writeFileSync(join(root, 'a'), randomBytes(60_000));
    keeper.scan(['m3']);

    expect(keeper.recordedPoint('m2')).toBeDefined();
  });
});
