import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { directoryEntries } from './directory-entries.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'entries-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform !== 'linux')('directoryEntries (Linux)', () => {
  it('tells what each entry is, a pipe included', () => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    symlinkSync('nowhere', join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);

    const found = [...directoryEntries(folder)].map(({ name, kind }) => `${name}: ${kind}`);

    expect(found.toSorted()).toEqual(['file: file', 'folder: directory', 'link: symlink', 'pipe: other']);
  });

  it('names the path that cannot be opened', () => {
    const listed = () => [...directoryEntries(join(folder, 'missing'))];

    expect(listed).toThrow(expect.objectContaining({ code: 'ENOENT', message: expect.stringContaining('missing') }));
  });
});
