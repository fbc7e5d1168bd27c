import type promises from 'node:fs/promises';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkHome } from './check-home.ts';
import { checkNetwork } from './check-network.ts';
import { checkNode, checkPackages } from './check-packages.ts';
import { checkBash, checkRipgrep } from './check-programs.ts';
import { checkStore } from './check-store.ts';
import { ownPackage } from './own-package.ts';

/** What the system says of the disk instead, while it is set. */
const disk = vi.hoisted((): { facts: object } => ({ facts: {} }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  return { ...real, statfs: async (path: string) => Object.assign(await real.statfs(path), disk.facts) };
});

const { getBuiltinModule } = process;
const platform = Object.getOwnPropertyDescriptor(process, 'platform')!; // every process has one
const { signal } = new AbortController();
/** Where Node keeps what its `fetch` sends with. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
const NFS = 0x6969;

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lacks-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  disk.facts = {};
  Object.defineProperty(process, 'platform', platform);
  await rm(folder, { recursive: true });
});
const storePath = () => join(folder, 'sessions.db');

/** A module of Node with these in the place of its own. */
function instead(name: string, own: object): void {
  const module = { ...(getBuiltinModule(name) as object), ...own };
  vi.spyOn(process, 'getBuiltinModule').mockImplementation((asked: string) =>
    asked === name ? module : getBuiltinModule(asked),
  );
}
/** The packages that Node finds from here on, by specifier; `..` is this one. */
async function installed(manifests: Readonly<Record<string, object>>): Promise<void> {
  const paths = new Map<string, string>();
  for (const [specifier, manifest] of Object.entries(manifests)) {
    const path = join(folder, `${paths.size}.json`);
    await writeFile(path, JSON.stringify(manifest));
    paths.set(specifier, path);
  }
  instead('node:module', { findPackageJSON: (specifier: string) => paths.get(specifier) });
}

describe('the packages of a host', () => {
  it.each<[string, Readonly<Record<string, object>>]>([
    ['are part of a bundle', {}],
    ['are part of a package of another name', { '..': { name: 'theirs', version: '1.0.0' } }],
    ['have no version', { '..': { name: '@x/session' } }],
  ])('are not known where they %s, and Node is judged all the same', async (_, manifests) => {
    await installed(manifests);

    expect(ownPackage()).toBeUndefined();
    expect(checkPackages()).toEqual({ status: 'ok', detail: 'the SDK was bundled; its versions are not known' });
    expect(checkNode('22.17.9')).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/needed is >=22\.18$/),
    });
    expect(checkNode('22.18.0').status).toBe('ok');
  });

  it('are not known to a Node that cannot say where they are', () => {
    instead('node:module', { findPackageJSON: undefined });

    expect(ownPackage()).toBeUndefined();
  });

  it('are those of the SDK that this one needs, with the versions that were found', async () => {
    const own = { name: '@x/session', version: '1.2.0', engines: { node: '>=24' } };

    await installed({ '..': own });
    const alone = ownPackage();
    const dependencies = { '@x/core': '*', '@x/models': '*', zod: '*' };
    await installed({ '..': { ...own, dependencies }, '@x/core': { version: '1.2.0' } });

    expect(alone).toEqual({ version: '1.2.0', node: '>=24', others: {} });
    expect(ownPackage()).toEqual({
      version: '1.2.0',
      node: '>=24',
      others: { '@x/core': '1.2.0', '@x/models': undefined },
    });
    expect(checkNode('22.18.0').status).toBe('failed');
  });
});

describe('the version of Node', () => {
  it.each<[string, string, string]>([
    ['24', '>=24.1', 'failed'],
    ['24', '>=24.0', 'ok'],
    ['24.1', '>=24', 'ok'],
  ])('may be written short: %s for %s is %s', (version, needed, status) => {
    expect(checkNode(version, needed).status).toBe(status);
  });
});

describe('the home directory', () => {
  it.skipIf(process.platform === 'win32')(
    'warns when it is of another user (not on Windows: it has no user ids)',
    async () => {
      const uid = process.getuid!();
      vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);

      expect(await checkHome(storePath())).toEqual({
        status: 'warning',
        detail: `${folder} belongs to user ${uid}, this process is user ${uid + 1}`,
        hint: 'Name a place of your own in AGENT_SDK_HOME',
      });
    },
  );

  it.each<[string, readonly string[], object]>([
    ['will be made where it is not there', ['none', 'sessions.db'], { status: 'ok' }],
    [
      'fails where it is a file',
      ['file', 'sessions.db'],
      { detail: expect.stringMatching(/file is not a directory$/) },
    ],
    [
      'fails where it is below a file',
      ['file', 'below', 'sessions.db'],
      { detail: expect.stringContaining('ENOTDIR') },
    ],
    [
      'fails where its file cannot be looked at',
      ['x'.repeat(300)],
      { detail: expect.stringContaining('ENAMETOOLONG') },
    ],
  ])('%s', async (_, names, finding) => {
    await writeFile(join(folder, 'file'), '');

    expect(await checkHome(join(folder, ...names))).toMatchObject({ status: 'failed', ...finding });
  });
});

describe('the network', () => {
  it('warns of a proxy where a runtime has no fetch that would use it', () => {
    class EnvHttpProxyAgent {}
    const shared = globalThis as { [DISPATCHER]?: unknown };
    const before = shared[DISPATCHER];
    shared[DISPATCHER] = new EnvHttpProxyAgent();

    const withFetch = checkNetwork({ HTTPS_PROXY: 'http://proxy' });
    vi.stubGlobal('Headers', undefined);
    const without = checkNetwork({ HTTPS_PROXY: 'http://proxy' });
    shared[DISPATCHER] = before;

    expect([withFetch.status, without.status]).toEqual(['ok', 'warning']);
  });
});

describe.skipIf(process.platform === 'win32')('the programs (not on Windows: they are made as shell scripts)', () => {
  it('warns when commands run in another shell than bash', async () => {
    const { spawn } = getBuiltinModule('node:child_process');
    const inAnother = (_: string, args: readonly string[], options: object) =>
      spawn('/bin/sh', ['-c', `unset BASH_VERSION; ${args.at(-1)}`], options);
    instead('node:child_process', { spawn: inAnother });

    expect(await checkBash(signal)).toEqual({
      status: 'warning',
      detail: 'there is no /bin/bash; commands run in /bin/sh',
      hint: 'Install bash',
    });
  });

  it.each<[string, string, RegExp]>([
    ['what was printed', 'echo no such luck; exit 3', /^a command could not be run: no such luck$/],
    ['the code where nothing was', 'exit 3', /^a command could not be run: code 3$/],
  ])('fails when no command can be run, and tells %s', async (_, script, detail) => {
    const { spawn } = getBuiltinModule('node:child_process');
    const failing = (_shell: string, _args: readonly string[], options: object) =>
      spawn('/bin/sh', ['-c', script], options);
    instead('node:child_process', { spawn: failing });

    expect(await checkBash(signal)).toEqual({
      status: 'failed',
      detail: expect.stringMatching(detail),
      hint: 'Install bash',
    });
  });

  it('reads the version of a program that goes on talking', async () => {
    await writeFile(
      join(folder, 'rg'),
      '#!/bin/sh\necho "ripgrep 99.1"\nfor i in 1 2 3 4 5 6; do printf "%200000s" x; done\n',
      { mode: 0o755 },
    );

    expect(await checkRipgrep(signal, `${folder}:/usr/bin:/bin`)).toEqual({ status: 'ok', detail: 'ripgrep 99.1' });
  });
});

describe('the store', () => {
  it('is tried no further when it is called off, and leaves nothing behind', async () => {
    await expect(checkStore(storePath(), AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });

    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('warns of a disk that is of another machine', async () => {
    disk.facts = { type: NFS };

    expect(await checkStore(storePath(), signal)).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/the place is on a network file system \(NFS\)$/),
      hint: expect.stringContaining('SQLite needs a disk of this machine'),
    });
  });

  it('takes the types of file systems for those of Linux on Linux alone', async () => {
    disk.facts = { type: NFS };
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });

    expect((await checkStore(storePath(), signal)).detail).not.toContain('network');
  });

  it.each([
    [25_599, 'warning'],
    [25_600, 'ok'],
  ])('with %i free blocks of 4 kB is %s', async (bavail, status) => {
    disk.facts = { type: 0, bavail, bsize: 4_096 };

    const finding = await checkStore(storePath(), signal);

    expect(finding).toMatchObject({ status, ...(status === 'warning' ? { hint: 'Free some space' } : {}) });
  });

  it('warns where the disk takes no write-ahead log', async () => {
    const { DatabaseSync } = getBuiltinModule('node:sqlite');
    class Without extends DatabaseSync {
      override exec(sql: string): void {
        super.exec(sql.replace('journal_mode = wal', 'journal_mode = delete'));
      }
    }
    instead('node:sqlite', { DatabaseSync: Without });

    expect(await checkStore(storePath(), signal)).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(/^SQLite \(delete\) wrote.*; without a write-ahead log$/),
      hint: expect.stringContaining('Several processes at once will wait for each other'),
    });
  });

  it('is tried in a place that was there before, which stays', async () => {
    await mkdir(join(folder, 'home'));

    expect((await checkStore(join(folder, 'home', 'sessions.db'), signal)).detail).toMatch(
      /wrote, synced and read back/,
    );
    expect(await readdir(folder)).toEqual(['home']);
  });
});
