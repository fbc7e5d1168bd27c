import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxPolicy } from '../../driver/driver.ts';
import { configFor, filesystemFor } from './runtime-config.ts';
import { runtimeDriver } from './runtime-driver.ts';

function policy(network: Partial<SandboxPolicy['network']> = {}): SandboxPolicy {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'runtime-config-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return {
    root,
    files: { write: [], readOnly: [join(root, 'kept')], read: [], hidden: [join(root, 'key')] },
    network: {
      mode: 'none',
      allowedDomains: ['a.com'],
      deniedDomains: [],
      unixSockets: 'none',
      localBinding: false,
      ...network,
    },
    limits: {},
  };
}
const places = { home: '/tmp', temporary: '/tmp' };
const paths = (list: readonly { readonly path: string }[]) => list.map(({ path }) => path);

describe('the settings of the runtime', () => {
  it('show on Linux the system and what the policy shows; on macOS all but people’s directories', () => {
    const one = policy();
    const of = (isLinux: boolean) =>
      filesystemFor(one, places, { runtime: '/r/dist/index.js', isLinux, sockets: ['/tmp'] });

    expect(paths(of(true).denyRead)).toEqual(['/', join(one.root, 'key')]);
    expect(paths(of(true).allowRead)).toEqual(expect.arrayContaining(['/usr', '/etc', one.root, '/tmp']));
    expect(paths(of(false).denyRead)).toEqual(expect.arrayContaining(['/Users', '/Volumes', join(one.root, 'key')]));
    expect(paths(of(false).denyRead)).not.toContain('/');
    expect(paths(of(false).allowRead)).not.toContain('/usr');
    for (const system of [true, false]) expect(paths(of(system).denyWrite)).toContain(join(one.root, 'kept'));
  });

  it('keep all of .claude, but on Linux the two places that the runtime itself covers', () => {
    const one = policy();
    const kept = (isLinux: boolean) => {
      const { denyWrite } = filesystemFor(one, places, { runtime: '/r/dist/index.js', isLinux });
      return paths(denyWrite).filter((path) => path.includes('.claude'));
    };
    const below = (...names: string[]) => names.map((name) => join(one.root, '.claude', name));

    expect(kept(false)).toEqual([join(one.root, '.claude')]);
    expect(kept(true)).toEqual(below('settings.json', 'settings.local.json'));
    mkdirSync(join(one.root, '.claude/commands'), { recursive: true });
    writeFileSync(join(one.root, '.claude/own'), '');
    expect(kept(true)).toEqual(below('own', 'settings.json', 'settings.local.json'));
  });

  it('open hosts only by the list, and sockets by path on macOS', () => {
    const of = (network: Partial<SandboxPolicy['network']>) =>
      configFor(policy(network), places, { runtime: '/r/dist/index.js', isLinux: false }).network;

    expect(of({})).toMatchObject({ allowedDomains: [], strictAllowlist: true, allowAllUnixSockets: false });
    expect(of({ mode: 'domains', unixSockets: 'all' })).toMatchObject({
      allowedDomains: ['a.com'],
      allowAllUnixSockets: true,
    });
    expect(of({ unixSockets: ['/s'] })).toMatchObject({ allowUnixSockets: ['/s'] });
  });

  it('can hold other limits on macOS, and nothing on Windows', async () => {
    const one = policy();

    expect(runtimeDriver(1000, 'darwin').capabilities).toMatchObject({ localBinding: 'real', unixSockets: 'by-path' });
    expect(runtimeDriver(1000, 'darwin').capabilities.limits).not.toContain('memoryMb');
    expect(runtimeDriver(1000, 'linux').capabilities.limits).toContain('memoryMb');
    expect(await runtimeDriver(undefined, 'win32').probe(one)).toEqual([expect.stringContaining('this is win32')]);
  });
});
