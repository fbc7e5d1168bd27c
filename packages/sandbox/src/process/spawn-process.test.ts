import { execFile, spawn as spawnChild } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SpawnedProcess, sleep } from '@x/core';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../../test/output-of.ts';
import { type SpawnProcessOptions, spawnProcess } from './spawn-process.ts';
import { GATE } from './start-watched.ts';

const onLinux = process.platform === 'linux';

function spawn(command: string, options: Partial<SpawnProcessOptions> = {}): SpawnedProcess {
  const env = { PATH: process.env['PATH'] ?? '' };
  return spawnProcess(command, { cwd: tmpdir(), env, signal: new AbortController().signal, ...options });
}

/** False also for one that has ended and is not collected yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !onLinux || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Reads until the command has printed `count` process ids, which it must do one a line. */
async function idsFrom(
  running: SpawnedProcess,
  count: number,
): Promise<{ ids: number[]; rest: AsyncIterator<unknown> }> {
  const output = running.output[Symbol.asyncIterator]();
  let text = '';
  while (text.split('\n').length <= count) {
    const step = await output.next();
    if (step.done) break;
    text += Buffer.from(step.value.bytes).toString();
  }
  return { ids: text.trim().split('\n').map(Number), rest: output };
}

/** Those that are still there after a while, which the system needs to end them. */
async function livingOf(ids: readonly number[]): Promise<number[]> {
  for (let turn = 0; turn < 1500 && ids.some(isAlive); turn += 1) await sleep(10);
  return ids.filter(isAlive);
}

describe('spawnProcess', () => {
  it('delivers 10 MB in full', async () => {
    let bytes = 0;

    for await (const chunk of spawn('head -c 10000000 /dev/zero').output) bytes += chunk.bytes.length;

    expect(bytes).toBe(10_000_000);
  });

  it('keeps the order of the two channels as they arrive', async () => {
    const order: string[] = [];

    const folder = await mkdtemp(join(tmpdir(), 'turns-'));
    const seen = (count: number) => `until [ -e ${folder}/${count} ]; do sleep 0.01; done`;
    for await (const { channel } of spawn(`echo a; ${seen(1)}; echo b >&2; ${seen(2)}; echo c`).output) {
      order.push(channel);
      await writeFile(join(folder, `${order.length}`), '');
    }

    expect(order).toEqual(['stdout', 'stderr', 'stdout']);
  });

  it('makes the command wait while nobody reads', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'pressure-')), 'done');
    const running = spawn(`head -c 5000000 /dev/zero; touch ${file}`);
    await new Promise((resolve) => setTimeout(resolve, 50));

    const early = await promisify(execFile)('ls', [file]).then(
      () => 'done',
      () => 'waiting',
    );
    const { exit } = await outputOf(running);

    expect(early).toBe('waiting');
    expect(exit.code).toBe(0);
    await rm(join(file, '..'), { recursive: true });
  });

  it('does not wait for a command to take its input', async () => {
    const { exit } = await outputOf(spawn('exit 4', { stdin: new Uint8Array(5_000_000) }));

    expect(exit.code).toBe(4);
  });

  it('adds no listener for each piece of output of a command that has taken its input', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);

    await outputOf(spawn('cat > /dev/null; head -c 5000000 /dev/zero', { stdin: Uint8Array.of(10) }));
    await new Promise((resolve) => setImmediate(resolve));

    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('reads no start file of the user', async () => {
    const home = await mkdtemp(join(tmpdir(), 'home-'));
    await writeFile(join(home, '.bashrc'), 'echo from bashrc');

    const { stdout } = await outputOf(spawn('echo ran', { env: { HOME: home }, stdin: Uint8Array.of(10) }));

    expect(stdout).toBe('ran\n');
    await rm(home, { recursive: true });
  });

  it('reports the signal a command ended by', async () => {
    const { exit } = await outputOf(spawn('kill -TERM $$'));

    expect(exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it.each([
    ['a missing directory', 'true', { cwd: '/not/there' }, '/not/there does not exist'],
    ['a command longer than the system takes', `: ${'x'.repeat(3_000_000)}`, {}, '3000002 characters'],
  ])('ends with 127 and the reason for %s', async (_, command, options, reason) => {
    const { stderr, exit } = await outputOf(spawn(command, options));

    expect(exit).toEqual({ code: 127, signal: null });
    expect(stderr).toContain(reason);
  });

  it('starts a gated command like any other', async () => {
    const { stdout, exit } = await outputOf(
      spawn('cat; (: <&3) 2>/dev/null || echo closed', { stdin: Uint8Array.of(65, 10), gated: true }),
    );

    expect(stdout).toBe('A\nclosed\n');
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('runs nothing behind a gate that nobody opens', async () => {
    const [file, ...values] = [...GATE, 'echo', 'ran'];
    const child = spawnChild(file, values, { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
    let printed = '';
    child.stdout!.on('data', (bytes: Buffer) => (printed += bytes.toString()));

    (child.stdio[3] as Socket).end();

    await once(child, 'close');
    expect(printed).toBe('');
  });

  it('refuses a NUL in the command', () => {
    expect(() => spawn('echo \0')).toThrow(/NUL/);
  });
});

describe.runIf(onLinux)('the end of a process tree', () => {
  const trees: readonly [string, string, number][] = [
    ['a plain child', 'sleep 100 & echo $!; wait', 1],
    ['a grandchild whose parent has ended', '(sleep 100 & echo $!); sleep 100', 1],
    ['a child in a session of its own', 'setsid sleep 100 & echo $!; wait', 1],
    ['a tree in a session of its own', `setsid bash -c 'sleep 100 & echo $!; echo $$; wait' & wait`, 2],
    [
      'a child whose parents have ended',
      `(setsid sh -c 'sh -c "echo \\$\\$; exec sleep 100 >/dev/null 2>&1" &' &); sleep 100`,
      1,
    ],
    ['a child that ignores SIGTERM', `bash -c 'trap "" TERM; echo $$; sleep 100; sleep 100' & wait`, 1],
  ];

  it.each(trees)('an abort ends %s', async (_, command, count) => {
    const abort = new AbortController();
    const running = spawn(command, { signal: abort.signal });
    const { ids } = await idsFrom(running, count);

    abort.abort();

    expect((await running.exit).signal).toBe('SIGKILL');
    expect(await livingOf(ids)).toEqual([]);
  });

  it.each(trees)('a reader that leaves ends %s', async (_, command, count) => {
    const { ids, rest } = await idsFrom(spawn(command), count);

    await rest.return?.();

    expect(await livingOf(ids)).toEqual([]);
  });

  it('the end of the shell ends what it has left in its group', async () => {
    const running = spawn('sleep 100 & echo $!');
    const { ids, rest } = await idsFrom(running, 1);

    expect(await rest.next()).toMatchObject({ done: true });
    expect(await running.exit).toEqual({ code: 0, signal: null });
    expect(await livingOf(ids)).toEqual([]);
  });

  it('a child in another session that keeps the output open does not hang the reader', async () => {
    const { stdout, exit } = await outputOf(spawn('setsid sleep 100 & echo $!; sleep 0.03'));

    expect(exit.code).toBe(0);
    expect(await livingOf([Number(stdout)])).toEqual([]);
  });

  it('a child that floods the output after the end of the shell does not hang the reader', async () => {
    const { exit } = await outputOf(spawn('setsid yes & sleep 0.03'));

    expect(exit.code).toBe(0);
  });

  it('takes more than the process group: a child in its own session survives that (control)', async () => {
    // The child tells its number from its own session, so that the kill cannot come before it is there.
    const running = spawn("echo $$; setsid sh -c 'echo $$; exec sleep 100' & wait");
    const { ids, rest } = await idsFrom(running, 2);

    process.kill(-ids[0]!, 'SIGKILL');
    const survived = isAlive(ids[1]!);
    await rest.return?.();

    expect(survived).toBe(true);
    expect(await livingOf(ids)).toEqual([]);
  });

  it('leaves a process alone that is none of the tree (control)', async () => {
    const other = spawn('echo $$; sleep 100');
    const { ids, rest } = await idsFrom(other, 1);
    const running = spawn('sleep 100');

    running.kill();
    await running.exit;

    expect(ids.map(isAlive)).toEqual([true]);
    await rest.return?.();
  });

  it('exit settles after a kill even when nobody has read', async () => {
    const running = spawn('yes');
    await new Promise((resolve) => setTimeout(resolve, 30));

    running.kill();

    expect(await running.exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('leaves no listener on the signal and none on the process', async () => {
    const { signal } = new AbortController();
    const before = process.listenerCount('exit');

    await Promise.all(Array.from({ length: 12 }, () => outputOf(spawn('echo x', { signal }))));

    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(process.listenerCount('exit')).toBe(before);
  });
});

describe.runIf(onLinux)('the end of the host', () => {
  const source = new URL('./spawn-process.ts', import.meta.url).pathname;
  const options = `{ cwd: '/', env: { PATH: process.env.PATH }, signal: new AbortController().signal }`;

  async function host(script: string): Promise<string> {
    const code = `import { spawnProcess } from ${JSON.stringify(source)};\n${script}`;
    const flags = ['--conditions=@x/source', '--input-type=module', '--eval', code];
    return (await promisify(execFile)(process.execPath, flags, { timeout: 18_000 })).stdout;
  }

  it('does not wait for a command nobody reads, and ends it', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'unread-')), 'pid');

    await host(`
      import { existsSync } from 'node:fs';
      spawnProcess('echo $$ > ${file}.new; mv ${file}.new ${file}; yes', ${options});
      while (!existsSync('${file}')) await new Promise((resolve) => setTimeout(resolve, 5));
    `);

    expect(await livingOf([Number(readFileSync(file, 'utf8'))])).toEqual([]);
    await rm(join(file, '..'), { recursive: true });
  });

  it('waits while a reader waits', async () => {
    const printed = await host(`
      const running = spawnProcess('sleep 0.1; echo done', ${options});
      for await (const { bytes } of running.output) process.stdout.write(bytes);
      console.log((await running.exit).code);
    `);

    expect(printed).toBe('done\n0\n');
  });
});
