import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../../../test/has-bubblewrap.ts';
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

  it.skipIf(!hasBubblewrap)(
    `stay while another process has something mounted there, whatever its name${NEEDS_BUBBLEWRAP}`,
    async () => {
      const path = join(folder, 'a b\\c\td é');
      takePlaceholders([path]);
      const wall = [
        '--ro-bind',
        '/',
        '/',
        '--tmpfs',
        path,
        '--die-with-parent',
        'sh',
        '-c',
        'echo mounted; exec sleep 100',
      ];
      const other = spawn('bwrap', wall, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(other.stdout, 'data');

      await givePlaceholdersBack([path]);
      expect(existsSync(path)).toBe(true);
      other.kill('SIGKILL');
      await once(other, 'exit');
      takePlaceholders([path]);
      await givePlaceholdersBack([path]);
      expect(existsSync(path)).toBe(false);
    },
  );
});
