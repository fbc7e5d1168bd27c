import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxCapabilities } from '../driver/driver.ts';
import { pathPolicy } from './path-policy.ts';
import { heldBy, policyFor } from './policy.ts';
import { checkSettings, type SandboxSettings } from './settings.ts';
import { reportedViolations } from './violations.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'policy-')));
  mkdirSync(join(folder, 'root', 'sub'), { recursive: true });
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'file'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const policyOf = (settings: SandboxSettings, secrets: readonly string[] = []) =>
  policyFor(settings, { cwd: join(folder, 'root'), secrets, prefix: 'sandbox.' });
const fieldOf = (settings: SandboxSettings, secrets: readonly string[] = []): unknown => {
  try {
    policyOf(settings, secrets);
    return undefined;
  } catch (error) {
    return (error as { field?: string }).field;
  }
};

describe('policyFor', () => {
  it('resolves every path once, and has the defaults of the limits', () => {
    symlinkSync(join(folder, 'other'), join(folder, 'link'));

    const policy = policyOf(
      {
        filesystem: {
          allowWrite: ['../link'],
          allowRead: [join(folder, 'file')],
          denyRead: ['~/x', 'sub'],
          denyWrite: ['not/there'],
        },
        limits: { cpuSeconds: 3, timeoutMs: 1, outputBytes: 1 },
      },
      [join(folder, 'secret')],
    );

    expect(policy.root).toBe(join(folder, 'root'));
    expect(policy.files).toEqual({
      write: [join(folder, 'other')],
      read: [join(folder, 'file')],
      hidden: [join(realpathSync(homedir()), 'x'), join(folder, 'root', 'sub'), join(folder, 'secret')],
      readOnly: [join(folder, 'root', 'not', 'there')],
    });
    expect(policy.limits).toEqual({ cpuSeconds: 3, memoryMb: 4096, processes: 512, fileSizeMb: 2048 });
    expect(policy.network).toMatchObject({ mode: 'none', unixSockets: 'none', localBinding: false });
  });

  it('names the setting that opens too much or contradicts another one', () => {
    const write = (path: string) => ({ filesystem: { allowWrite: [path] } });

    expect(fieldOf(write(join(folder, 'file')))).toBe('sandbox.filesystem.allowWrite[0]');
    expect(fieldOf(write('/'))).toBe('sandbox.filesystem.allowWrite[0]');
    expect(fieldOf(write('/usr/local'))).toBe('sandbox.filesystem.allowWrite[0]');
    expect(fieldOf(write(join(folder, 'other')), [folder])).toBe('cwd');
    expect(fieldOf(write(join(folder, 'other')), [join(folder, 'other')])).toBe('sandbox.filesystem.allowWrite[0]');
    expect(fieldOf({ filesystem: { allowRead: [join(folder, 'other')] } }, [join(folder, 'other')])).toBe(
      'sandbox.filesystem.allowRead[0]',
    );
    expect(fieldOf({ filesystem: { allowRead: [join(folder, 'other')], denyRead: [folder] } })).toBe(
      'sandbox.filesystem.denyRead',
    );
    expect(fieldOf({ filesystem: { denyWrite: [folder] } })).toBe('sandbox.filesystem.denyWrite');
    expect(fieldOf({ network: { allowedUnixSockets: ['sub'], allowedDomains: ['*'] } })).toBe(
      'sandbox.network.allowedUnixSockets',
    );
  });

  it('takes paths as they are written, and refuses what would guard nothing: patterns, variables, URLs, lists, another case', () => {
    mkdirSync(join(folder, 'root', 'app', '[id]'), { recursive: true });
    writeFileSync(join(folder, 'root', 'app', '.env'), '');
    const spellings = [
      '**/.env',
      '*.env',
      'sub/*',
      'sub/**',
      '!sub',
      '$HOME/.env',
      '{a,b}',
      'file:///etc/x',
      '?.env',
      'x[1]',
      '.env,sub',
      'sub; .env',
      'a|b',
      String.raw`sub\.env`,
      'late ',
      ' late',
      'app/ late',
      '~root/late',
      'app/.ENV',
      'SUB',
    ];

    for (const path of spellings) {
      expect([path, fieldOf({ filesystem: { denyRead: ['sub', path] } })]).toEqual([
        path,
        'sandbox.filesystem.denyRead[1]',
      ]);
      expect([path, fieldOf({ filesystem: { denyWrite: [path] } })]).toEqual([path, 'sandbox.filesystem.denyWrite[0]']);
    }
    const unseen = `sub/${'x'.repeat(300)}`; // too long to be looked at
    for (const path of ['app/[id]', '~/x', 'late', './sub/', 'sub/late', 'late/later', 'app/.env/x', unseen]) {
      expect([path, fieldOf({ filesystem: { denyRead: [path], denyWrite: [path] } })]).toEqual([path, undefined]);
    }
    const copy = join(folder, 'a copy, (1)', 'root');
    mkdirSync(copy, { recursive: true });
    const late = () => policyFor({ filesystem: { denyRead: ['late'] } }, { cwd: copy });
    expect(late().files.hidden).toEqual([join(copy, 'late')]); // the name of the workspace is not the host's text
  });

  it('opens the network by name, wholly, or not at all', () => {
    const modeOf = (network: SandboxSettings['network']) => policyOf(network ? { network } : {}).network.mode;

    expect(modeOf(undefined)).toBe('none');
    expect(modeOf({ allowedDomains: [] })).toBe('none');
    expect(modeOf({ allowedDomains: ['*'] })).toBe('host');
    expect(modeOf({ allowedDomains: ['*'], deniedDomains: ['a.com'] })).toBe('domains');
    expect(policyOf({ network: { allowAllUnixSockets: true, allowLocalBinding: true } }).network).toMatchObject({
      unixSockets: 'all',
      localBinding: true,
    });
  });
});

describe.skipIf(process.platform === 'win32')('sockets of a policy (POSIX)', () => {
  it('are sockets: of a file or a directory the content would be shown (B11)', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(folder, 'root', 'sock'), done));
    onTestFinished(() => void server.close());
    const listed = (path: string) => ({ network: { allowedUnixSockets: [path] } });
    const poor = { network: ['none'], localBinding: 'isolated', unixSockets: 'all-or-none', limits: [] } as const;

    expect(['sub', '../file', 'sock'].map((path) => fieldOf(listed(path)))).toEqual([
      'sandbox.network.allowedUnixSockets[0]',
      'sandbox.network.allowedUnixSockets[0]',
      undefined,
    ]);
    expect(() => heldBy(policyOf(listed('sock')), poor, { settings: listed('sock'), driver: 'poor' })).toThrow(
      'network.allowedUnixSockets',
    );
  });
});

describe('heldBy', () => {
  const poor: SandboxCapabilities = {
    network: ['none'],
    localBinding: 'isolated',
    unixSockets: 'all-or-none',
    limits: ['memoryMb'],
  };
  const held = (settings: SandboxSettings) => heldBy(policyOf(settings), poor, { settings, driver: 'poor' });

  it('leaves out defaults that a driver cannot hold, and refuses what was asked for', () => {
    expect(held({}).limits).toEqual({ memoryMb: 4096 });
    expect(held({ limits: { memoryMb: 5 } }).limits).toEqual({ memoryMb: 5 });
    expect(() => held({ limits: { processes: 5 } })).toThrow("limits.processes: the driver 'poor' cannot hold it here");
    expect(() => held({ network: { allowedDomains: ['*'] } })).toThrow('network.allowedDomains');
    expect(() => held({ network: { allowedDomains: ['a.com'] } })).toThrow("use the driver 'sandbox-runtime'");
  });
});

describe('pathPolicy', () => {
  it('says what may be read and written, by the real place', () => {
    const { checkRead, checkWrite } = pathPolicy(
      policyOf({
        filesystem: { allowRead: [join(folder, 'other')], denyRead: ['sub/hidden'], denyWrite: ['sub/kept'] },
      }),
    );
    const root = join(folder, 'root');

    expect(() => checkRead(join(root, 'a'), 'a')).not.toThrow();
    expect(() => checkRead('/usr/bin/env', '/usr/bin/env')).not.toThrow();
    expect(() => checkRead(join(folder, 'other', 'a'), 'a')).not.toThrow();
    expect(() => checkRead('/var/lib/x', 'link')).toThrow('link (/var/lib/x) lies outside of the sandbox');
    expect(() => checkRead(join(root, 'sub/hidden/a'), 'a')).toThrow('is hidden by the sandbox');
    expect(() => checkWrite(join(root, 'a'), 'a')).not.toThrow();
    expect(() => checkWrite(join(root, 'sub/kept'), 'a')).toThrow('stays as it is in the sandbox');
    expect(() => checkWrite(join(root, 'sub/hidden'), 'a')).toThrow('is hidden');
    expect(() => checkWrite(join(folder, 'other', 'a'), 'a')).toThrow('sandbox.filesystem.allowWrite');
  });
});

describe('reportedViolations', () => {
  it('leaves out what a pattern means, of its own kind alone', () => {
    const found = ['/etc/a', '/etc/b/c', '/tmp/x', 'aa'].map((detail) => ({ kind: 'file' as const, detail }));
    const left = (...ignoreFileViolations: string[]) =>
      reportedViolations(found, { ignoreFileViolations, ignoreNetworkViolations: ['*'] }).map(({ detail }) => detail);

    expect(left()).toHaveLength(4);
    expect(left('/etc/*')).toEqual(['/tmp/x', 'aa']);
    expect(left('/etc/a')).toEqual(['/etc/b/c', '/tmp/x', 'aa']);
    expect(left('/*/*/c', '/t*p*x')).toEqual(['/etc/a', 'aa']);
    expect(left('a*a', '*z*')).toEqual(['/etc/a', '/etc/b/c', '/tmp/x']);
    expect(left('a*a*a', '/*c*c*c')).toHaveLength(4);
    const host = { kind: 'network', detail: 'Api.example.com' } as const;
    for (const pattern of ['*', 'api.EXAMPLE.com', '*.example.com'])
      expect(reportedViolations([host], { ignoreNetworkViolations: [pattern] })).toEqual([]);
    expect(() => checkSettings({ ignoreNetworkViolations: ['https://a.com'] })).toThrow('ignoreNetworkViolations[0]');
  });
});
