import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MessageCheckpoint } from '../src/index.ts';
import { opened, place, shell } from './support.ts';

/** Without times. */
const told = (one: MessageCheckpoint | undefined) =>
  one?.fileChanges.map(({ filePath, operation, beforeSnapshot, afterSnapshot, callIds }) => ({
    name: filePath.split('/').at(-1),
    operation,
    before: beforeSnapshot?.content,
    after: [afterSnapshot.exists, afterSnapshot.content],
    callIds,
  }));

describe('the history of a message', () => {
  it('has what calls changed before the next one, with the contents before and after (F07, F10, F11)', async () => {
    const { root, file } = place();
    shell(root, 'printf old > a; printf gone > b; chmod 640 a');
    const checkpointer = await opened({ root, file });
    const begun = Date.now();
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => shell(root, 'printf new > a; rm b; printf made > c'), { callId: 'c1' });
    writeFileSync(join(root, 'mine'), 'mine');
    await checkpointer.checkpoint('m2', { role: 'assistant' });
    await checkpointer.around(async () => shell(root, 'printf newer > a'), { callId: 'c2' });

    const [first, second] = [await checkpointer.history('m1'), await checkpointer.history('m2')];
    expect(told(first)?.toSorted((one, other) => (one.name! < other.name! ? -1 : 1))).toEqual([
      { name: 'a', operation: 'modify', before: 'old', after: [true, 'new'], callIds: ['c1'] },
      { name: 'b', operation: 'delete', before: 'gone', after: [false, null], callIds: ['c1'] },
      { name: 'c', operation: 'create', before: undefined, after: [true, 'made'], callIds: ['c1'] },
    ]);
    expect(told(second)).toEqual([
      { name: 'a', operation: 'modify', before: 'new', after: [true, 'newer'], callIds: ['c2'] },
    ]);
    expect([first?.messageRole, second?.messageRole]).toEqual(['user', 'assistant']);
    expect(first!.timestamp.getTime()).toBeGreaterThanOrEqual(begun);
    expect(first!.fileSnapshots).toBeInstanceOf(Map);
    expect(first!.fileSnapshots.get(join(root, 'a'))).toMatchObject({
      content: 'old',
      mode: 0o640,
      size: 3,
      kind: 'file',
    });
    expect(first!.fileSnapshots.get(join(root, 'c'))).toMatchObject({ content: null, exists: false, kind: null });

    await checkpointer.close();
    expect(await (await opened({ root, file })).history('m1')).toEqual(first);
  });

  it('has no content for bytes that are no text, for directories, and for what was not kept (F07)', async () => {
    const { root, file } = place();
    const checkpointer = await opened({ root, file }, { maxFileBytes: 10 });
    await checkpointer.checkpoint('m1');
    await checkpointer.around(async () => {
      shell(root, 'mkdir d; printf "\\377" > latin');
      writeFileSync(join(root, 'large'), 'x'.repeat(11));
      symlinkSync('d', join(root, 'link'));
      chmodSync(join(root, 'latin'), 0o600);
    });

    const { fileChanges = [] } = (await checkpointer.history('m1')) ?? {};
    const after = new Map(fileChanges.map((one) => [one.filePath.split('/').at(-1), one.afterSnapshot]));
    expect(after.get('d')).toMatchObject({ kind: 'directory', content: null, hash: null, encoding: null });
    expect(after.get('latin')).toMatchObject({ content: null, encoding: 'binary', mode: 0o600, size: 1 });
    expect(after.get('latin')?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(after.get('large')).toMatchObject({ content: null, hash: null, size: 11, exists: true });
    expect(after.get('link')).toMatchObject({ kind: 'symlink', content: 'd', mode: null });
  });

  it('is undefined for a message without a checkpoint, and empty for one without changes', async () => {
    const checkpointer = await opened(place());
    await checkpointer.checkpoint('m1');

    expect(await checkpointer.history('m2')).toBe(undefined);
    expect(await checkpointer.history('m1')).toMatchObject({ fileChanges: [], fileSnapshots: new Map() });
    await expect(checkpointer.history('')).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'messageId' });
  });
});
