import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type CreateSandboxOptions, createSandbox } from '../../create-sandbox.ts';
import { findProgram } from '../bubblewrap/find-program.ts';
import { runtimeDriver } from './runtime-driver.ts';
import { RuntimeHelper } from './runtime-helper.ts';

/** Not root's, with which the driver is refused. */
const USER = 1000;
const hasParts = process.platform === 'linux' && ['bwrap', 'socat', 'rg'].every((name) => findProgram(name, []));

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'runtime-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function sandbox(options: Omit<CreateSandboxOptions, 'driver'> = {}) {
  const box = await createSandbox({ cwd: folder, driver: runtimeDriver(USER), ...options });
  onTestFinished(() => box.close());
  return box;
}

async function serve(): Promise<string> {
  const server = createServer((request, response) => response.end(`served ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('runtimeDriver', () => {
  it('is refused for root, whose commands it would let change the kernel', async () => {
    const made = createSandbox({ cwd: folder, driver: runtimeDriver(0) });

    await expect(made).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      reasons: [{ driver: 'sandbox-runtime', reason: expect.stringContaining('run as another user') }],
    });
  });
});

describe.skipIf(!hasParts)('runtimeDriver (skipped where bwrap, socat or rg is missing)', () => {
  it('reaches the hosts of the list and no other, and tells which was refused', async () => {
    const [listed, other] = [await serve(), await serve()];
    const box = await sandbox({ network: { allowedDomains: [listed] } });
    const ask = (host: string) => box.run(`curl -sS -m 30 --noproxy '' http://${host}/a`);

    expect(await ask(listed)).toMatchObject({ stdout: 'served /a', exitCode: 0 });
    const refused = await ask(other);
    expect(refused.stdout).not.toContain('served');
    expect(refused.violations).toContainEqual({ kind: 'network', detail: '127.0.0.1' });
  });

  it('lets two sandboxes have lists of their own', async () => {
    const [one, other] = [await serve(), await serve()];
    const boxes = await Promise.all(
      [one, other].map((host, at) => {
        const cwd = join(folder, `${at}`);
        mkdirSync(cwd);
        return sandbox({ cwd, network: { allowedDomains: [host] } });
      }),
    );

    const said = await Promise.all(
      boxes.flatMap((box) => [one, other].map((host) => box.run(`curl -s -m 30 --noproxy '' http://${host}/`))),
    );

    expect(said.map(({ stdout }) => stdout === 'served /')).toEqual([true, false, false, true]);
  });

  it('keeps writes inside, what is protected as it is, and what is hidden unseen', async () => {
    execFileSync('git', ['init', '-q', folder]);
    const keys = mkdtempSync(join(tmpdir(), 'keys-'));
    onTestFinished(() => rmSync(keys, { recursive: true }));
    const box = await sandbox({ env: { GIVEN: 'yes' }, filesystem: { denyRead: [join(folder, 'private')] } });
    const before = readdirSync(join(folder, '.git', 'hooks'));

    const { violations } = await box.run(
      `echo a > inside; echo b > ${keys}/out; echo c > /etc/out; echo d > .git/hooks/planted; echo e > .git/commondir`,
    );
    const { stdout } = await box.run(['sh', '-c', 'echo "$GIVEN"; echo x > ~/x; echo y > "$TMPDIR/y"; echo "it\'s"']);

    expect(readFileSync(join(folder, 'inside'), 'utf8')).toBe('a\n');
    expect([existsSync(join(keys, 'out')), existsSync('/etc/out')]).toEqual([false, false]);
    expect(readdirSync(join(folder, '.git', 'hooks'))).toEqual(before);
    expect(existsSync(join(folder, '.git', 'commondir'))).toBe(false);
    expect(violations).toContainEqual({ kind: 'file', detail: join(folder, '.git', 'commondir') });
    expect(stdout).toBe("yes\nit's\n");
  });

  it('refuses what it cannot hold on Linux, by the name of the setting', async () => {
    const refused = (network: NonNullable<CreateSandboxOptions['network']>) => sandbox({ network });

    await expect(refused({ allowedDomains: ['*'] })).rejects.toMatchObject({ field: 'network.allowedDomains' });
    const socket = join(folder, 's');
    await new Promise<void>((done) => {
      const server = createServer().listen(socket, done);
      onTestFinished(() => void server.close());
    });
    await expect(refused({ allowedUnixSockets: [socket] })).rejects.toMatchObject({
      field: 'network.allowedUnixSockets',
    });
    await expect(refused({ allowedDomains: ['*'], deniedDomains: ['a.com'] })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      reasons: [{ reason: expect.stringContaining('Overly broad') }],
    });
  });
});

describe('RuntimeHelper', () => {
  it('that cannot begin says so, and leaves nothing', async () => {
    const helper = new RuntimeHelper('file:///missing/index.js', folder);

    await expect(helper.ask('open', {})).rejects.toThrow('its helper has ended');
    await expect(helper.ask('open', {})).rejects.toThrow('its helper has ended');
    expect([helper.hasEnded, existsSync(helper.places.home)]).toEqual([true, false]);
  });

  it('takes its directories with it when it is ended', () => {
    const helper = new RuntimeHelper('file:///missing/index.js', folder);
    expect(existsSync(helper.places.temporary)).toBe(true);

    helper.end();

    expect(existsSync(helper.places.temporary)).toBe(false);
  });
});
