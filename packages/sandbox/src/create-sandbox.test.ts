import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../test/has-bubblewrap.ts';
import { type CreateSandboxOptions, createSandbox, type SandboxResult } from './create-sandbox.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'box [x] *')));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(command: string | readonly string[], options: CreateSandboxOptions = {}): Promise<SandboxResult> {
  const box = await createSandbox({ cwd: folder, ...options });
  try {
    return await box.run(command);
  } finally {
    await box.close();
  }
}

describe.skipIf(!hasBubblewrap)(`createSandbox()${NEEDS_BUBBLEWRAP}`, () => {
  it('runs a line or a program, and gives what came of it (B21)', async () => {
    const box = await createSandbox({ cwd: folder, env: { GREETING: 'hello' } });
    const pieces: string[] = [];

    const line = await box.run('echo $GREETING; echo bad >&2; exit 3', { onOutput: ({ text }) => pieces.push(text) });
    const program = await box.run(['printf', '%s|', '$x', '-n', 'a b\nc']);
    const input = await box.run('cat', { input: 'given' });
    const killed = await box.run('kill -9 $$');
    await box.close();

    expect(line).toMatchObject({ exitCode: 3, stdout: 'hello\n', stderr: 'bad\n', timedOut: false, truncated: false });
    expect(line.durationMs).toBeGreaterThan(0);
    expect(pieces.sort()).toEqual(['bad\n', 'hello\n']);
    expect(program.stdout).toBe('$x|-n|a b\nc|');
    expect(input.stdout).toBe('given');
    expect(killed).toMatchObject({ exitCode: 137 });
    await expect(box.run('true')).rejects.toMatchObject({ name: 'ValidationError' });
  });

  it('bounds time and output, and says so; an abort rejects', async () => {
    const box = await createSandbox({ cwd: folder, limits: { timeoutMs: 500, outputBytes: 10 } });
    const stopping = new AbortController();

    expect(await box.run('sleep 60')).toMatchObject({ exitCode: null, timedOut: true, signal: 'SIGKILL' });
    expect(await box.run('echo 0123456789abc')).toMatchObject({
      truncated: true,
      stdout: '0123456789\n[4 bytes more were cut]',
    });
    const aborted = box.run('sleep 60', { signal: stopping.signal });
    stopping.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    const closed = box.run('sleep 60');
    await Promise.all([box.close(), expect(closed).rejects.toMatchObject({ name: 'AbortError' })]);
  });

  it('keeps a mebibyte of each channel unless told otherwise (B22)', async () => {
    const { stdout, stderr, truncated } = await run('head -c 2000000 /dev/zero; head -c 1048576 /dev/zero >&2');

    expect(truncated).toBe(true);
    expect(stdout.slice(1_048_576)).toBe('\n[951424 bytes more were cut]');
    expect(stderr).toBe('\0'.repeat(1_048_576));
  });

  it('refuses a command that is none, and a place outside', async () => {
    const box = await createSandbox({ cwd: folder });

    for (const command of ['', [], ['a\0b'], 'a\0b', [1], null] as string[][]) {
      await expect(box.run(command)).rejects.toMatchObject({ name: 'ValidationError', field: 'command' });
    }
    await expect(box.run('true', { cwd: '../..' })).rejects.toMatchObject({ field: 'cwd' });
    await expect(box.run('true', { cwd: '/etc' })).rejects.toMatchObject({ field: 'cwd' });
    await expect(box.run('true', { input: 7 } as never)).rejects.toMatchObject({ field: 'input' });
    await expect(box.run('true', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(createSandbox({ cwd: folder, driver: null } as never)).rejects.toMatchObject({ field: 'driver' });
    await expect(createSandbox({ cwd: folder, driver: { name: 'x' } } as never)).rejects.toMatchObject({
      field: 'driver',
    });
    await expect(box.run('true', { sigal: 1 } as object)).rejects.toMatchObject({ name: 'ValidationError' });
    await box.close();
  });

  it('gives a line of 100 KB verbatim to the shell, and a longer one a reason (ZS21)', async () => {
    const text = `'"\\$(x)\`-- é`.repeat(8_000);
    const quoted = `'${text.replaceAll("'", `'\\''`)}'`;

    expect((await run(`printf %s ${quoted} | wc -c`)).stdout.trim()).toBe(String(Buffer.byteLength(text)));
    expect(await run(`: ${'x'.repeat(200_000)}`)).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('more than the system takes'),
    });
  });

  it('takes no program whose name begins with - for an option (ZS21)', async () => {
    for (const words of [['-c', 'env'], ['-a', 'x', 'ls'], ['--', 'ls'], ['-x']]) {
      expect(await run(words)).toMatchObject({
        exitCode: 127,
        stdout: '',
        stderr: expect.stringContaining('not found'),
      });
    }
  });

  it('shows nothing of the home, the shadow file, other mounts and the processes of the host (ZS08, ZS24)', async () => {
    const { stdout } = await run(
      'cat /etc/shadow /root/.ssh/* ~/.ssh/* 2>/dev/null; ls -A ~ /home /mnt /srv /opt 2>/dev/null; ls /proc | grep -c "^[0-9]"; grep CapEff /proc/self/status',
    );

    expect(stdout).not.toContain('root:');
    expect(stdout).toMatch(/CapEff:\s+0000000000000000\n$/);
    expect(Number(/^(\d+)$/m.exec(stdout)?.[1])).toBeLessThan(10);
  });

  it.each([
    ['unshare -Ur true', 'unshare'],
    ['mount -t tmpfs none /tmp', 'mount'],
    ['chmod 4755 f', 'setuid'],
    ['mknod d c 1 3', 'device'],
    ['python3 -c "import socket; socket.socket(socket.AF_PACKET, 3)"', 'raw socket'],
    ['python3 -c "import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0)" && false', 'ptrace'],
    ['echo x > /proc/sys/kernel/core_pattern', 'core_pattern'],
    ['echo x > /proc/sysrq-trigger', 'sysrq'],
    ['python3 -c "import fcntl; fcntl.ioctl(0, 0x5412, b\'x\')"', 'TIOCSTI'],
  ])('refuses %s (%s; ZS12, ZS13, B29)', async (line) => {
    expect((await run(`touch f; ${line}`)).exitCode).not.toBe(0);
  });

  it('passes no descriptor of this process on (ZS13)', async () => {
    const program = `import { createSandbox } from ${JSON.stringify(join(import.meta.dirname, 'create-sandbox.ts'))};
      const box = await createSandbox({ cwd: ${JSON.stringify(folder)} });
      const { stdout } = await box.run('ls /proc/self/fd; for p in /proc/[0-9]*; do readlink $p/fd/* ; done');
      console.log(stdout); await box.close();`;
    const { stdout, stderr } = spawnSync(
      '/bin/bash',
      [
        '-c',
        'exec 20</etc 21</tmp; exec "$0" --conditions=@x/source --disable-warning=ExperimentalWarning --input-type=module -e "$1"',
        process.execPath,
        program,
      ],
      { encoding: 'utf8', cwd: import.meta.dirname },
    );

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^0\n1\n2\n3\n/);
    expect(stdout).not.toMatch(/^(\/etc|\/tmp)$/m);
  });

  it('ends what a command leaves behind (ZS14)', async () => {
    const mark = `9${Date.now()}`;

    await run(`sleep ${mark} & setsid sleep ${mark} & (setsid nohup sleep ${mark} >/dev/null 2>&1 &) ; echo`);

    expect(spawnSync('pgrep', ['-f', `sleep ${mark}`], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('bounds processes where it says that it can (ZS15)', async () => {
    const box = await createSandbox({ cwd: folder, limits: { timeoutMs: 50_000 } });
    const isHeld = box.capabilities.limits.includes('processes');
    const bomb = await box
      .run('for i in $(seq 700); do sleep 60 >/dev/null 2>&1 & done 2>&1 | tail -1', {
        signal: AbortSignal.timeout(isHeld ? 50_000 : 0),
      })
      .catch(String);
    const refused = await run('true', { limits: { processes: 10 } }).catch(String);
    await box.close();

    expect(isHeld ? JSON.stringify(bomb) : refused).toMatch(
      isHeld ? /fork: (retry: )?(Resource temporarily unavailable|Interrupted system call)/ : /limits.processes/,
    );
  });

  it('runs 16 at once without mixing them up or leaving anything (ZS22)', async () => {
    const box = await createSandbox({ cwd: folder });
    const numbers = Array.from({ length: 16 }, (_, index) => index);

    const results = await Promise.all(
      numbers.map((number) => box.run(`for i in 1 2 3; do echo ${number}; sleep 0.05; done`)),
    );
    await box.close();

    expect(results.map(({ stdout }) => stdout)).toEqual(numbers.map((number) => `${number}\n`.repeat(3)));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('shares nothing between two sandboxes of one process (ZS19)', async () => {
    const other = realpathSync(mkdtempSync(join(tmpdir(), 'other-')));
    const [open, shut] = await Promise.all([
      createSandbox({ cwd: folder, network: { allowedDomains: ['*'] } }),
      createSandbox({ cwd: other }),
    ]);
    const line = `echo x > /tmp/shared; ls /tmp; ls '${folder}' >/dev/null && echo sees; python3 -c "import socket; print(len(socket.if_nameindex()))"`;

    const [one, two] = await Promise.all([open.run(line), shut.run(line)]);
    const later = await shut.run('ls /tmp');
    await Promise.all([open.close(), shut.close()]);
    rmSync(other, { recursive: true });

    expect(one.stdout).toContain('sees');
    // Its /tmp holds the way to its own folder too, under any name.
    expect(two).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^shared\n(.+\n)*1\n$/m),
      stderr: expect.stringContaining(folder),
    });
    expect(later.stdout).not.toContain('shared');
  });

  it('is an error and no run outside when the driver is lost on the way (B17, ZS03)', async () => {
    const folderOfDriver = realpathSync(mkdtempSync(join(tmpdir(), 'driver-')));
    const { stdout: real } = spawnSync('which', ['bwrap'], { encoding: 'utf8' });
    spawnSync('cp', [real.trim(), join(folderOfDriver, 'bwrap')]);
    const path = process.env['PATH'];
    process.env['PATH'] = `${folderOfDriver}:${path}`;
    const box = await createSandbox({ cwd: folder }).finally(() => (process.env['PATH'] = path));
    rmSync(folderOfDriver, { recursive: true });

    await expect(box.run('touch ran')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await box.close();

    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('createSandbox() without a driver that works', () => {
  it('rejects and starts nothing (ZS01)', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    const made = createSandbox({ cwd: folder, driver: 'bubblewrap' }).finally(() => (process.env['PATH'] = path));

    await expect(made).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });

  it('runs where it says without a wall, too, when that is asked for', async () => {
    expect((await run('pwd', { driver: 'none' })).stdout).toBe(`${folder}\n`);
    expect((await run(['pwd'], { driver: 'none' })).stdout).toBe(`${folder}\n`);
  });

  it('takes no link of the workspace for a place that it may open', async () => {
    symlinkSync('/var', join(folder, 'link'));
    const wrong: [CreateSandboxOptions, string][] = [
      [{ filesystem: { allowWrite: ['link'] } }, 'filesystem.allowWrite[0]'],
      [{ filesystem: { allowRead: ['link/lib'] } }, 'filesystem.allowRead[0]'],
      [{ network: { allowedUnixSockets: ['link/run'] } }, 'network.allowedUnixSockets[0]'],
    ];

    for (const [options, field] of wrong) {
      await expect(createSandbox({ cwd: folder, ...options })).rejects.toMatchObject({
        name: 'ValidationError',
        field,
      });
    }
  });

  it.runIf(process.getuid?.() === 0)('takes no other driver than the one that is named (as root)', async () => {
    const made = createSandbox({ cwd: folder, driver: 'sandbox-runtime' });

    await expect(made).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE', reasons: [{ driver: 'sandbox-runtime' }] });
  });
});
