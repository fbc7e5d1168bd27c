import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropped-reader-'));
});
afterAll(() => rm(folder, { recursive: true }));

const program = fileURLToPath(new URL('programs/dropped-reader.ts', import.meta.url));

describe('a reader that is dropped in the middle of a stream', () => {
  it.each([['memory', []] as const, ['sqlite', ['sessions.db']] as const])(
    'gives the session up once it is collected (%s)',
    async (_name, names) => {
      const values = ['--expose-gc', '--conditions=@x/source', '--no-warnings', program];
      const paths = names.map((name) => join(folder, name));

      const { stdout } = await promisify(execFile)(process.execPath, [...values, ...paths], { timeout: 15_000 });

      expect(stdout).toBe('free success\n');
    },
  );
});
