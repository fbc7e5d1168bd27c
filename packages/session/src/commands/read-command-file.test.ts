import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCommandFile } from './read-command-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('readCommandFile', () => {
  it('finds no command where no file can be', () => {
    writeFileSync(join(folder, 'file.md'), 'text');

    const paths = ['missing.md', 'file.md/below.md', `${'n'.repeat(300)}.md`];
    expect(paths.map((path) => readCommandFile(folder, path))).toEqual([undefined, undefined, undefined]);
  });

  it('names the directory that has been removed, and the file that cannot be opened', () => {
    const refusal = (message: string) => expect.objectContaining({ code: 'VALIDATION_ERROR', message });

    expect(() => readCommandFile(folder, 'a\0b.md')).toThrow(refusal(expect.stringContaining('cannot be read')));
    rmSync(folder, { recursive: true });
    expect(() => readCommandFile(folder, 'a.md')).toThrow(refusal(expect.stringContaining(folder)));
  });
});
