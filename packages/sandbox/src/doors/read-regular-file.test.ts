import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownPlaceOf } from './places.ts';
import { portableDoors } from './portable-doors.ts';
import { readRegularFile, readSized } from './read-regular-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-'));
  writeFileSync(join(folder, 'file'), 'abc');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('readSized', () => {
  it('reads what is left of a file that was cut after it had told its size', async () => {
    await using file = await open(join(folder, 'file'));

    expect(Buffer.from(await readSized(file.fd, 10)).toString()).toBe('abc');
  });
});

describe('readRegularFile', () => {
  it('reads an empty file', async () => {
    writeFileSync(join(folder, 'empty'), '');

    expect(await readRegularFile(join(folder, 'empty'))).toHaveLength(0);
  });

  it.skipIf(process.platform !== 'linux')('refuses the tables of the system (Linux)', async () => {
    await expect(readRegularFile('/proc/self/environ')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  });
});

describe('portableDoors', () => {
  it('know nothing about a path below a file', async () => {
    expect(await portableDoors(folder).stat('file/below')).toBeUndefined();
    expect(await portableDoors(folder).stat('file/below', { noFollow: true })).toBeUndefined();
  });
});

describe.skipIf(process.platform !== 'linux')('ownPlaceOf (Linux)', () => {
  it('is the root for the root', () => {
    expect(ownPlaceOf('/')).toBe('/');
  });
});
