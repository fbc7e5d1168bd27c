import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./verify.mjs', import.meta.url));

describe('verify', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'verify-'));
    mkdirSync(join(root, 'packages', 'a', 'verify'), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const suite = (name, text) => writeFileSync(join(root, 'packages', 'a', 'verify', `${name}.verify.ts`), text);
  const verify = (names, env = {}) => {
    const clean = { ...process.env, CI: '', VERIFY_STRICT: '', VERIFY_ROOT: root, ...env };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...names], {
      env: clean,
      encoding: 'utf8',
    });
    return { status, lines: `${stdout}${stderr}`.trim().split('\n') };
  };

  it('fails when there is no suite', () => {
    expect(verify([])).toEqual({ status: 1, lines: ['No suite found: packages/*/verify/*.verify.ts'] });
  });

  it('runs every suite and counts', () => {
    suite('good', 'const n: number = 1; console.log(`${n} held`);');
    suite('bad', 'process.exit(2);');

    const { status, lines } = verify([]);

    expect(status).toBe(1);
    expect(lines).toContain('1 held');
    expect(lines.slice(-2)).toEqual(['failed: bad', '1 passed, 1 failed']);
  });

  it('says at the end why a suite failed', () => {
    suite('named', 'console.log(`FAILED a check\\n  two and not three\\nmuch more`); process.exit(1);');
    suite('unnamed', 'throw new Error(`a reason`);');

    const { lines } = verify([]);

    expect(lines.at(-2)).toMatch(/^failed: (named, unnamed|unnamed, named)$/);
    const end = lines.slice(lines.findLastIndex((line) => line.startsWith('FAIL ')) + 1);
    expect(end).toEqual(
      expect.arrayContaining(['named:', '  FAILED a check', '    two and not three', 'unnamed:', '  Error: a reason']),
    );
  });

  it('runs one suite by its name, and refuses a name that is not known', () => {
    suite('good', '');
    suite('bad', 'process.exit(2);');

    expect(verify(['good'])).toMatchObject({ status: 0, lines: expect.arrayContaining(['1 passed, 0 failed']) });
    expect(verify(['god'])).toEqual({ status: 1, lines: ["No suite 'god'. Suites: bad, good"] });
  });

  it('skips a suite whose tool is missing with the reason, and fails instead where nothing may be skipped', () => {
    suite('needy', '// needs: no-such-tool\nprocess.exit(2);');
    suite('good', '// needs: node\n');

    const lenient = verify([]);
    expect(lenient.status).toBe(0);
    expect(lenient.lines).toContain('SKIP needy: no-such-tool not found on PATH');
    expect(lenient.lines.at(-1)).toBe('1 passed, 0 failed');

    for (const env of [{ CI: 'true' }, { VERIFY_STRICT: '1' }]) {
      const strict = verify([], env);
      expect(strict.status).toBe(1);
      expect(strict.lines.at(-1)).toBe('1 passed, 1 failed');
    }
  });

  it('reads the tools from the first comment line only', () => {
    suite('good', '// What this shows.\n// needs: no-such-tool\n');

    expect(verify([]).lines.at(-1)).toBe('1 passed, 0 failed');
  });

  it('runs two at a time, and one that asks for it by itself', () => {
    const waiting = (name, other) => `
      import { existsSync, writeFileSync } from 'node:fs';
      writeFileSync('${name}.begun', '');
      const until = performance.now() + 20_000;
      while (!existsSync('${other}.begun') && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
      process.exitCode = existsSync('${other}.begun') ? 0 : 1;
      writeFileSync('${name}.ended', '');`;
    suite('one', waiting('one', 'two'));
    suite('two', waiting('two', 'one'));
    suite(
      'zone',
      "// It is last in the order of names.\n// alone: a reason\nimport { existsSync } from 'node:fs';\nif (existsSync('one.begun')) process.exit(3);",
    );

    expect(verify([])).toMatchObject({ status: 0, lines: expect.arrayContaining(['3 passed, 0 failed']) });
  });

  it('shows what a suite said in one piece, whether it failed or not', () => {
    suite('good', "console.log('all is well');");
    suite('bad', "console.log('something is not'); console.error('here'); process.exit(2);");

    const { lines } = verify([]);

    expect(lines).toEqual(expect.arrayContaining(['all is well', 'something is not', 'here']));
  });

  it('does not wait for a process that a suite has left behind', () => {
    suite(
      'leaving',
      `import { spawn } from 'node:child_process';
      spawn('sleep', ['300'], { stdio: 'inherit', detached: true }).unref();
      console.log('said before');`,
    );

    expect(verify([])).toMatchObject({
      status: 0,
      lines: expect.arrayContaining(['said before', '1 passed, 0 failed']),
    });
  }, 60_000);
});
