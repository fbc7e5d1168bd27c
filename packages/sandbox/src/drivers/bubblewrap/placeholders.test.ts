import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givePlaceholdersBack, takePlaceholders } from './placeholders.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'placeholders-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform !== 'linux')('placeholders (Linux)', () => {
  it('are there as long as one command needs them', async () => {
    const path = join(folder, '.git');
    takePlaceholders([path]);
    takePlaceholders([path]);

    await givePlaceholdersBack([path]);
    expect(existsSync(path)).toBe(true);
    await givePlaceholdersBack([path]);
    expect(existsSync(path)).toBe(false);
  });

  it('that somebody has used stay, and so does what never was one', async () => {
    const [used, own] = [join(folder, '.vscode'), join(folder, 'own')];
    takePlaceholders([used]);
    writeFileSync(join(used, 'theirs'), '');
    writeFileSync(own, '');

    await givePlaceholdersBack([used, own]);

    expect([existsSync(join(used, 'theirs')), existsSync(own)]).toEqual([true, true]);
  });
});
