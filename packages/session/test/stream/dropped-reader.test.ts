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

async function printed(program: string, ...paths: readonly string[]): Promise<string> {
  const path = fileURLToPath(new URL(`../programs/${program}`, import.meta.url));
  const values = ['--expose-gc', '--conditions=@x/source', '--no-warnings', path, ...paths];
  return (await promisify(execFile)(process.execPath, values, { timeout: 15_000 })).stdout;
}

describe('a reader that is dropped in the middle of a stream', () => {
  it.each([['memory', []] as const, ['sqlite', ['sessions.db']] as const])(
    'gives the session up once it is collected (%s)',
    async (_name, names) => {
      const paths = names.map((name) => join(folder, name));

      expect(await printed('dropped-reader.ts', ...paths)).toBe('free success\n');
    },
  );
});

describe('a reader that leaves in the middle of a stream', () => {
  it('keeps nothing of its session in memory, also where a model keeps its requests', async () => {
    expect(await printed('left-reader.ts')).toBe('0\n');
  });
});
