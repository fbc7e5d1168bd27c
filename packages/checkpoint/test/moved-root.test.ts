import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { picture } from './picture.ts';
import { kept, opened, place, shell } from './support.ts';

/** As if the last checkpoint had been opened elsewhere: a real unmounting is in the suite checkpoint-places-gone. */
function recordedAt(file: string, site: (device: string, directory: string) => string): void {
  const database = new DatabaseSync(file);
  const row = database.prepare("SELECT value FROM facts WHERE name = 'site'").get();
  const [device = '', directory = ''] = String(row?.['value']).split(' ');
  database.prepare("UPDATE facts SET value = ? WHERE name = 'site'").run(site(device, directory));
  database.close();
}
const onAnotherFileSystem = (device: string, directory: string) => `${device}1 ${directory}1`;

/** A message before a change of a call, the checkpoints closed; then the user has changed the file too. */
async function closed() {
  const { root, file } = place();
  writeFileSync(join(root, 'a'), 'old');
  const first = await opened({ root, file });
  await first.checkpoint('m');
  await first.around(async () => writeFileSync(join(root, 'a'), 'agent'));
  await first.close();
  writeFileSync(join(root, 'a'), 'user');
  return { root, file };
}

describe('checkpoints of a directory that is on another file system than its last checkpoint (ZC17)', () => {
  it('take nothing back with force, until a message was checkpointed there', async () => {
    const { root, file } = await closed();
    recordedAt(file, onAnotherFileSystem);
    const again = await opened({ root, file });

    for (const dryRun of [true, false]) {
      const { success, errors, restoredFiles } = await again.rewind('m', { force: true, dryRun });
      expect([success, restoredFiles]).toEqual([false, []]);
      expect(errors).toEqual([{ filePath: root, error: expect.stringMatching(/another file system.*new checkpoint/) }]);
    }
    expect(picture(root)).toEqual({ a: '644 user' });
    await again.checkpoint('m2');
    expect(await again.rewind('m', { force: true })).toMatchObject({ success: true });
    expect(picture(root)).toEqual({ a: '644 old' });
  });

  it.each([
    ['the machine was restarted', (device: string, directory: string) => `${device}1 ${directory}`],
    ['the directory was made anew', (device: string, directory: string) => `${device} ${directory}1`],
  ])('go on as before when %s', async (_, site) => {
    const { root, file } = await closed();
    recordedAt(file, site);
    const again = await opened({ root, file });

    expect(await again.rewind('m', { force: true })).toMatchObject({ success: true });
    expect(picture(root)).toEqual({ a: '644 old' });
  });

  it('are not opened when a rewind was cut off, which would be completed in the wrong place', async () => {
    const { root, file } = place();
    shell(root, 'echo old > a');
    const keeper = kept({ root, file });
    keeper.scan(null);
    keeper.point({ message: 'm', role: 'user', at: 0 });
    shell(root, 'echo new > a');
    keeper.scan(['call']);
    const plan = keeper.plan({ message: 'm', force: false });
    keeper.begin('cut', plan!.actions, 0);
    keeper.close();
    recordedAt(file, onAnotherFileSystem);

    await expect(opened({ root, file })).rejects.toMatchObject({
      code: 'CHECKPOINT_ROOT',
      message: expect.stringContaining('A rewind that was cut off is completed there'),
    });
    expect(picture(root)).toEqual({ a: '644 new\n' });
  });
});
