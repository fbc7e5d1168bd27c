import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkApiReports, writeApiReports } from './api-reports.mjs';
import { findTool } from './find-tool.mjs';
import { differences } from './pinned-exports.mjs';
import { eachOf, run, runSteps, StepError } from './steps.mjs';

afterEach(() => vi.restoreAllMocks());

describe('runSteps', () => {
  it('stops at the first failure, shows its output and counts', async () => {
    const lines = [];
    vi.spyOn(console, 'log').mockImplementation((line) => lines.push(line));
    const third = vi.fn();

    const code = await runSteps([
      ['one', () => 'twice'],
      ['two', () => Promise.reject(new StepError('broken', 'the reason'))],
      ['three', third],
    ]);

    expect(code).toBe(1);
    expect(third).not.toHaveBeenCalled();
    expect(lines).toEqual([
      expect.stringMatching(/^ok .*one \(twice\)$/),
      expect.stringMatching(/^FAIL .*two$/),
      'broken\nthe reason',
      '1 passed, 1 failed',
    ]);
  });
});

describe('run', () => {
  it('returns the output, and throws it with the exit code', async () => {
    expect(await run(process.execPath, ['-e', 'console.log(1)'])).toBe('1\n');
    const failing = run(process.execPath, ['-e', 'console.log(1); process.exit(3)']);

    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining('exit code 3'), output: '1\n' });
  });

  it('throws when there is no such program', async () => {
    await expect(run('no-such-program', [])).rejects.toThrow(/ENOENT/);
  });
});

describe('eachOf', () => {
  it('runs every item, no more than the width at a time, and throws the first failure', async () => {
    const seen = [];
    let active = 0;
    let most = 0;
    const work = async (item) => {
      most = Math.max(most, ++active);
      await Promise.resolve();
      active -= 1;
      seen.push(item);
      if (item === 2) throw new Error('two');
    };

    await expect(eachOf([1, 2, 3, 4], 2, work)).rejects.toThrow('two');

    expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4]));
    expect(most).toBe(2);
  });
});

describe('differences', () => {
  it('reports what is pinned but not built and the other way round, types aside', () => {
    expect(differences('@x/core .', ['a', 'type B', 'c'], ['a', 'd'])).toEqual([
      '@x/core .: c is pinned but not built',
      '@x/core .: d is built but not pinned',
    ]);
    expect(differences('@x/core .', ['a', 'type B'], ['a'])).toEqual([]);
  });
});

describe('checkApiReports', () => {
  it('accepts what was written, and shows what has changed in the declarations since', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'api-')), 'stall');
    const manifest = {
      name: 'stall',
      version: '1.0.0',
      exports: { '.': { types: './index.d.ts' }, './package.json': './package.json' },
    };
    const declare = (text) => writeFileSync(join(path, 'index.d.ts'), `${text}\n`);
    mkdirSync(join(path, 'etc'), { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
    declare('/** Sells. */\nexport declare function sell(fruit: string, count: number): void;');

    expect(() => checkApiReports([{ path, manifest }])).toThrow('pnpm run api');
    const files = writeApiReports([{ path, manifest }]);
    checkApiReports([{ path, manifest }]);
    declare('/** Sells. */\nexport declare function sell(fruit: string): void;');

    expect(readFileSync(join(path, 'etc', 'stall.api.md'), 'utf8')).toContain(
      'sell(fruit: string, count: number): void',
    );
    expect(files).toEqual([join(path, 'etc', 'stall.api.md')]);
    expect(() => checkApiReports([{ path, manifest }])).toThrow(
      expect.objectContaining({
        output: expect.stringMatching(/- .*count: number.*\n\+ .*sell\(fruit: string\): void/),
      }),
    );
    rmSync(join(path, '..'), { recursive: true });
  });
});

describe('findTool', () => {
  it('finds a program that may be run, and no other file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tool-'));
    writeFileSync(join(folder, 'good'), '');
    chmodSync(join(folder, 'good'), 0o755);
    writeFileSync(join(folder, 'text'), '', { mode: 0o644 });

    expect(findTool('good', folder)).toBe(join(folder, 'good'));
    expect(findTool('text', folder)).toBeUndefined();
    expect(findTool('absent', folder)).toBeUndefined();
    rmSync(folder, { recursive: true });
  });
});
