import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ask, folder, recorded, wire } from '../../../test/recorded-exchanges.ts';
import { readRecordings, recordingProxy, wireServer } from '../index.ts';

describe('recordingProxy', () => {
  it('writes files that only their owner reads, as a whole, behind those that are there', async () => {
    const directory = await folder();
    await writeFile(join(directory, '0007.json'), 'taken');
    const body = await wire('text');

    await recorded({ body }, ({ url }) => Promise.all(Array.from({ length: 12 }, () => ask(url))), { directory });

    const names = (await readdir(directory)).toSorted();
    expect(names).toEqual(Array.from({ length: 13 }, (_, index) => `${String(index + 7).padStart(4, '0')}.json`));
    expect((await stat(join(directory, '0008.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(directory, '0007.json'), 'utf8')).toBe('taken');
  });

  it('leaves numbers to another writer of the same directory', async () => {
    const directory = await folder();
    const body = await wire('text');
    await using server = await wireServer({ body });
    await using one = await recordingProxy({ target: server.url, directory });
    await using other = await recordingProxy({ target: server.url, directory });

    await Promise.all([one, other, one, other].map(({ url }) => ask(url)));
    await Promise.all([one.close(), other.close()]);

    expect((await readRecordings(directory)).length).toBe(4);
  });

  it('says at its end that a recording could not be kept', async () => {
    const directory = join(await folder(), 'file');
    await writeFile(directory, '');
    await using server = await wireServer({ body: await wire('text') });
    const proxy = await recordingProxy({ target: server.url, directory });

    expect(textOf(await ask(proxy.url))).not.toBe('');

    await expect(proxy.close()).rejects.toMatchObject({ name: 'RecordingError', code: 'RECORDING_FAILED' });
  });
});
