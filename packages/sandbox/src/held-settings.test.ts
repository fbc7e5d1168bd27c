import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../test/has-bubblewrap.ts';
import { type CreateSandboxOptions, createSandbox } from './create-sandbox.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'box-')));
  mkdirSync(join(folder, 'kept'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(!hasBubblewrap)(`a sandbox of bubblewrap${NEEDS_BUBBLEWRAP}`, () => {
  it('ends a command after two minutes unless told otherwise (B22)', async () => {
    const box = await createSandbox({ cwd: folder });
    const clock = new AbortController();
    const limits = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
    onTestFinished(() => limits.mockRestore());

    const result = box.run('sleep 1000');
    clock.abort(new DOMException('The time is over', 'TimeoutError'));

    expect(await result).toMatchObject({ timedOut: true });
    expect(limits).toHaveBeenCalledExactlyOnceWith(120_000);
  });

  it('has ports that are reached from inside of the call alone, and says so (B10)', async () => {
    const box = await createSandbox({
      cwd: folder,
      network: { allowLocalBinding: true },
      filesystem: { allowRead: [dirname(process.execPath)] },
    });
    const server = "require('node:http').createServer((_, r) => r.end('here')).listen(0, '127.0.0.1', function () {";
    const own = `${server} fetch('http://127.0.0.1:' + this.address().port).then((r) => r.text()).then((t) => { console.log(t); process.exit(); }) })`;

    expect(box.capabilities.localBinding).toBe('isolated');
    expect((await box.run([process.execPath, '-e', own])).stdout).toBe('here\n');
  });
});

describe('settings that contradict each other', () => {
  it.each<[CreateSandboxOptions, string]>([
    [{ network: { allowAllUnixSockets: true, allowedUnixSockets: ['/a'] } }, 'network.allowedUnixSockets'],
    [{ network: { deniedDomains: ['a.com'] } }, 'network.deniedDomains'],
    [{ network: { allowedDomains: ['*'], allowedUnixSockets: ['/a'] } }, 'network.allowedUnixSockets'],
    [{ filesystem: { allowRead: ['kept'], denyRead: ['.'] } }, 'filesystem.denyRead'],
    [{ filesystem: { allowRead: ['/proc'] } }, 'filesystem.allowRead[0]'],
  ])('are refused by name: %o', async (options, field) => {
    await expect(createSandbox({ cwd: folder, ...options })).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field });
  });
});

describe('a sandbox without a wall', () => {
  it.each<[CreateSandboxOptions, string]>([
    [{ filesystem: { denyRead: ['kept'] } }, 'filesystem.denyRead'],
    [{ filesystem: { denyWrite: ['kept'] } }, 'filesystem.denyWrite'],
    [{ network: { allowedDomains: ['a.com'] } }, 'network.allowedDomains'],
    [{ limits: { processes: 5 } }, 'limits.processes'],
  ])('refuses what nothing would hold without a wall: %o (B15)', async (options, field) => {
    await expect(createSandbox({ cwd: folder, driver: 'none', ...options })).rejects.toMatchObject({
      field,
      message: expect.stringContaining("the driver 'none' cannot hold it here"),
    });
  });
});
