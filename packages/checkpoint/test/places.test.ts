import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostWorkspace } from '@x/sandbox';
import { expect, it } from 'vitest';
import { opened, place } from './support.ts';

it('names the directory itself as a path, places outside as left out, and doors by their whole path', async () => {
  const { root, file } = place();
  writeFileSync(join(root, 'a'), '0');
  const checkpointer = await opened({ root, file }, { leaveOut: [join(root, '..', 'elsewhere')] });
  await checkpointer.checkpoint('m');
  const doors = checkpointer.watch(hostWorkspace({ cwd: root }), 'call');
  for (const text of ['1', '2']) await doors.writeFile(join(root, 'a'), new TextEncoder().encode(text));
  await doors.remove(join(root, 'a'));
  await doors.makeLink('l', 'a');

  const history = await checkpointer.history('m');
  expect(history?.fileChanges.map(({ operation }) => operation)).toEqual(['modify', 'modify', 'delete', 'create']);
  expect(history?.fileSnapshots.get(join(root, 'a'))?.content).toBe('0');
  expect(await checkpointer.rewind('m', { paths: ['.'] })).toMatchObject({ success: true });
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('0');
  await checkpointer[Symbol.asyncDispose]();
  await expect(checkpointer.statistics()).rejects.toMatchObject({ code: 'CHECKPOINT_CLOSED' });
});
