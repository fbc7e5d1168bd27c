import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../src/index.ts';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../support/has-bubblewrap.ts';
import { scriptedSession } from '../support/makers.ts';

let folder = '';
let outside = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandboxed-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')));
  writeFileSync(join(outside, 'note.txt'), 'from outside');
});
afterAll(() => {
  for (const one of [folder, outside]) rmSync(one, { recursive: true });
});

describe('a sandbox that cannot be had', () => {
  const make = (sandbox: object, options: Partial<SessionOptions> = {}) =>
    scriptedSession(() => ({ text: 'x' }), { cwd: folder, sandbox, ...options });

  it('rejects the session before anything runs: no bwrap on PATH (B04, ZS01)', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = outside;
    const made = make({ enabled: true, driver: 'bubblewrap' }).finally(() => (process.env['PATH'] = path));

    await expect(made).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', statusCode: 503 });
  });

  it('is refused when it contradicts itself or would open too much, naming the field', async () => {
    const enabled = { enabled: true };
    const cases: [object, string, Partial<SessionOptions>?][] = [
      [{ ...enabled, netwrok: {} }, 'sandbox.netwrok'],
      [{ autoAllowBashIfSandboxed: true }, 'sandbox.enabled'],
      [{ ...enabled, allowUnsandboxedCommands: true }, 'sandbox.allowUnsandboxedCommands'],
      [
        { ...enabled, network: { allowAllUnixSockets: true, allowedUnixSockets: ['/x'] } },
        'sandbox.network.allowedUnixSockets',
      ],
      [{ ...enabled, network: { deniedDomains: ['a.com'] } }, 'sandbox.network.deniedDomains'],
      [{ ...enabled, filesystem: { allowWrite: ['/'] } }, 'sandbox.filesystem.allowWrite[0]'],
      [{ ...enabled, filesystem: { allowWrite: ['~'] } }, 'sandbox.filesystem.allowWrite[0]'],
      [{ ...enabled, filesystem: { allowWrite: ['/etc'] } }, 'sandbox.filesystem.allowWrite[0]'],
      [{ ...enabled, filesystem: { allowWrite: ['missing'] } }, 'sandbox.filesystem.allowWrite[0]'],
      [{ ...enabled, filesystem: { denyRead: ['.'] } }, 'sandbox.filesystem.denyRead'],
      [{ ...enabled, filesystem: { denyWrite: ['.'] } }, 'sandbox.filesystem.denyWrite'],
      [{ ...enabled, limits: { memoryMb: 0 } }, 'sandbox.limits.memoryMb'],
      [{ ...enabled, limits: { timeoutMs: 5 } }, 'sandbox.limits.timeoutMs'],
      [{ ...enabled, limits: { outputBytes: 5 } }, 'sandbox.limits.outputBytes'],
      [{ ...enabled, driver: 'none', autoAllowBashIfSandboxed: true }, 'sandbox.autoAllowBashIfSandboxed'],
      [{ ...enabled, excludedCommands: ['git', 'Bash(docker *)'] }, 'sandbox.excludedCommands[1]'],
      [{ ...enabled, allowUnsandboxedCommands: ['git && ls'] }, 'sandbox.allowUnsandboxedCommands[0]'],
      [{ ...enabled, filesystem: { allowRead: ['/'] } }, 'sandbox.filesystem.allowRead[0]'],
      [{ ...enabled, filesystem: { allowRead: ['~'] } }, 'sandbox.filesystem.allowRead[0]'],
      [{ ...enabled, filesystem: { allowRead: ['/proc/1'] } }, 'sandbox.filesystem.allowRead[0]'],
      [{ ...enabled, filesystem: { allowRead: ['/dev'] } }, 'sandbox.filesystem.allowRead[0]'],
      [{ ...enabled, filesystem: { denyRead: ['/proc'] } }, 'sandbox.filesystem.denyRead[0]'],
      [{ ...enabled, filesystem: { denyRead: ['~root/.ssh'] } }, 'sandbox.filesystem.denyRead[0]'],
      [{ ...enabled, filesystem: { denyRead: ['Read(./.env)'] } }, 'sandbox.filesystem.denyRead[0]'],
      [{ ...enabled, filesystem: { denyWrite: ['%APPDATA%/x'] } }, 'sandbox.filesystem.denyWrite[0]'],
      [{ ...enabled, driver: 'docker' }, 'sandbox.driver'],
      [{ ...enabled, mcp: 'yes' }, 'sandbox.mcp'],
      [enabled, 'cwd', { cwd: '/' }],
      [enabled, 'cwd', { cwd: homedir() }],
    ];
    for (const [settings, field, options] of cases) {
      await expect(make(settings, options)).rejects.toMatchObject({ name: 'ValidationError', field });
    }
  });

  it.skipIf(!hasBubblewrap)(
    `rejects what its driver cannot hold, naming the field (B15)${NEEDS_BUBBLEWRAP}`,
    async () => {
      const made = make({ enabled: true, network: { allowedDomains: ['example.com'] } });

      await expect(made).rejects.toMatchObject({ name: 'ValidationError', field: 'sandbox.network.allowedDomains' });
    },
  );

  it.skipIf(!hasBubblewrap)(`finds a bwrap of the workspace, and never runs it (B26)${NEEDS_BUBBLEWRAP}`, async () => {
    const planted = join(folder, 'bin');
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, 'bwrap'), `#!/bin/sh\ntouch ${outside}/planted\n`, { mode: 0o755 });
    const path = process.env['PATH'];

    process.env['PATH'] = `${planted}:${path}`;
    await make({ enabled: true }).then(({ session }) => session.close());
    process.env['PATH'] = planted;
    const alone = make({ enabled: true }).finally(() => (process.env['PATH'] = path));

    await expect(alone).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(existsSync(join(outside, 'planted'))).toBe(false);
  });

  it('shows that these tests can fail: without a sandbox the file is written', () => {
    spawnSync('/bin/sh', ['-c', `echo out > ${outside}/control.txt`]);

    expect(existsSync(join(outside, 'control.txt'))).toBe(true);
  });
});
