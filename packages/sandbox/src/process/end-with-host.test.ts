import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@x/core';
import { describe, expect, it } from 'vitest';
import { bearersOf, processTable, startOf } from './process-table.ts';
import { WATCHER } from './watcher-script.ts';

/** Longer than anything here takes; a test that fails waits so long. */
const PATIENCE_MS = 60_000;

const source = new URL('./spawn-process.ts', import.meta.url).pathname;

interface Host {
  readonly process: ChildProcess;
  /** The living processes that any command of the host has started. */
  readonly living: () => number[];
  readonly ended: Promise<unknown>;
  /** Settles when the command, or the host, has made the file `begun` (or of another name) in its directory. */
  readonly begun: (name?: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** A process that runs a command and whatever else the script says. */
async function hostOf(command: string, { script = '', gated = false, flags = [] as string[] } = {}): Promise<Host> {
  const cwd = await mkdtemp(join(tmpdir(), 'end-with-host-'));
  const probe = `PROBE=${crypto.randomUUID()}`;
  const code = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { spawnProcess } from ${JSON.stringify(source)};
    const env = { PATH: process.env.PATH, PROBE: ${JSON.stringify(probe.slice(6))} };
    const options = { cwd: ${JSON.stringify(cwd)}, env, signal: new AbortController().signal${gated ? ', gated: true' : ''} };
    const childrenOf = (pid) => readFileSync('/proc/' + pid + '/task/' + pid + '/children', 'utf8').trim().split(' ').map(Number);
    const started = spawnProcess(${JSON.stringify(command)}, options);
    const watcher = childrenOf(process.pid)[0];
    ${script}
    setInterval(() => undefined, 1000);
  `;
  const values = [...flags, '--conditions=@x/source', '--input-type=module', '--eval', code];
  const host = spawn(process.execPath, values, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  return {
    process: host,
    living: () => [...new Set([...bearersOf(probe), ...pidsIn(join(cwd, 'pids')).filter(isAlive)])],
    ended: once(host, 'exit'),
    begun: (name = 'begun') => until(() => existsSync(join(cwd, name))),
    remove: () => rm(cwd, { recursive: true, force: true }),
  };
}

function pidsIn(path: string): number[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
}

/** Holds when it was looked at twice: a process that is just being made has no name yet. */
async function until(holds: () => boolean): Promise<void> {
  let seen = 0;
  for (const end = Date.now() + PATIENCE_MS; seen < 2 && Date.now() < end; ) {
    seen = holds() ? seen + 1 : 0;
    await sleep(seen > 0 ? 100 : 10);
  }
}

function isAlive(pid: number): boolean {
  return processTable().some((entry) => entry.pid === pid);
}

/** Kills a process that may have ended by itself, as the `sleep` of the loop does. */
function endIfLiving(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has.
  }
}

const LOOP = 'trap "" TERM INT HUP; echo $$ >> pids; touch begun; while :; do sleep 0.05; done';
const commands: [string, string][] = [
  ['a shell that ignores signals', LOOP],
  ['a child in the background', `nohup sh -c '${LOOP}' >/dev/null 2>&1 & wait`],
  ['a child in a session of its own', `setsid sh -c '${LOOP}' >/dev/null 2>&1 & wait`],
  ['a child with two ended parents', `(setsid sh -c '(${LOOP}) >/dev/null 2>&1 &' &) ; sleep 100`],
  ['a group with another environment', `env -i PATH="$PATH" sh -c '${LOOP}'`],
];
const ends: [string, (host: Host) => void][] = [
  ['SIGKILL', ({ process: { pid } }) => process.kill(pid!, 'SIGKILL')],
  ['SIGKILL of its group', ({ process: { pid } }) => process.kill(-pid!, 'SIGKILL')],
  ['SIGTERM', ({ process: { pid } }) => process.kill(pid!, 'SIGTERM')],
  ['SIGINT of its group, as a terminal sends it', ({ process: { pid } }) => process.kill(-pid!, 'SIGINT')],
];

describe.runIf(process.platform === 'linux')('endWithHost', { timeout: 150_000 }, () => {
  it.each(ends)('ends every command when the host is ended by %s', async (_, end) => {
    const hosts = await Promise.all(commands.map(([, command]) => hostOf(command)));
    await Promise.all(hosts.map(({ begun }) => begun()));
    const before = hosts.map(({ living }) => living().length > 0);

    for (const host of hosts) end(host);

    await Promise.all(hosts.map(({ ended }) => ended));
    await until(() => hosts.every(({ living }) => living().length === 0));
    expect(hosts.flatMap(({ living }) => living())).toEqual([]);
    expect(before).toEqual(commands.map(() => true));
    await Promise.all(hosts.map(({ remove }) => remove()));
  });

  it('ends them when the host is out of memory', async () => {
    const script = 'const held = []; setTimeout(() => { for (;;) held.push(new Array(1e6).fill(held.length)); }, 100);';
    const host = await hostOf(commands[3]![1], { script, flags: ['--max-old-space-size=64'] });

    await host.ended;

    await until(() => host.living().length === 0);
    expect(host.living()).toEqual([]);
    await host.remove();
  });

  it.each([false, true])('ends a command whose host is gone before it can say more (gated: %s)', async (gated) => {
    const host = await hostOf(commands[3]![1], { script: `process.kill(process.pid, 'SIGKILL');`, gated });

    await host.ended;

    await until(() => host.living().length === 0);
    expect(host.living()).toEqual([]);
    await host.remove();
  });

  it('leaves survivors without the watcher (control)', async () => {
    const script = `process.kill(watcher, 'SIGKILL'); writeFileSync(options.cwd + '/unwatched', '');`;
    const host = await hostOf(LOOP, { script });
    await Promise.all([host.begun(), host.begun('unwatched')]);

    host.process.kill('SIGKILL');
    await host.ended;
    await sleep(50);

    expect(host.living()).not.toEqual([]);
    while (host.living().length > 0) host.living().forEach(endIfLiving);
    await host.remove();
  });

  it('starts another watcher with the next command, which knows those under way', async () => {
    const script = `
      process.kill(watcher, 'SIGKILL');
      setTimeout(() => spawnProcess('touch begun; sleep 100', options), 50);
    `;
    const host = await hostOf('sleep 100', { script });
    await host.begun();

    host.process.kill('SIGKILL');
    await host.ended;

    await until(() => host.living().length === 0);
    expect(host.living()).toEqual([]);
    await host.remove();
  });

  it('ends its watcher with the host, which does not wait for it', async () => {
    const host = await hostOf('echo', { script: 'process.stdout.write(String(watcher), () => process.exit());' });
    const [printed] = await once(host.process.stdout!, 'data');
    await host.ended;

    await until(() => !isAlive(Number(printed)));

    expect(isAlive(Number(printed))).toBe(false);
    await host.remove();
  });

  it('gives a command nothing of the pipe to the watcher', async () => {
    const host = await hostOf('touch begun; sleep 100; true');
    await host.begun();
    const [shell] = host.living();

    const open = (await readdir(`/proc/${shell}/fd`)).filter((name) => Number(name) < 200); // bash keeps its script at 255

    expect(open).toEqual(['0', '1', '2']);
    host.process.kill('SIGKILL');
    await host.ended;
    await host.remove();
  });
});

describe.runIf(process.platform === 'linux')('WATCHER', () => {
  async function told(line: (pid: number, startedAt: string) => string): Promise<number[]> {
    const stranger = spawn('sleep', ['100'], { detached: true, stdio: 'ignore' });
    const pid = stranger.pid!;
    const watcher = spawn('/bin/sh', ['-c', WATCHER], { stdio: ['pipe', 'ignore', 'ignore'] });

    watcher.stdin.end(`${line(pid, startOf(pid)!)}\n`);
    await once(watcher, 'exit');
    await sleep(20);

    const living = isAlive(pid) ? [pid] : [];
    stranger.kill('SIGKILL');
    return living;
  }

  it('leaves a process alone that has the number of one that has ended', async () => {
    expect(await told((pid) => `+ mark ${pid} 1`)).toHaveLength(1);
  });

  it('ends the group of the process that was started (control)', async () => {
    expect(await told((pid, startedAt) => `+ mark ${pid} ${startedAt}`)).toEqual([]);
  });

  it('leaves a command alone that has ended', async () => {
    expect(await told((pid, startedAt) => `+ mark ${pid} ${startedAt}\n+ other\n- mark`)).toHaveLength(1);
  });

  it('ends, with a leader that it finds by its mark alone, the group, whatever environment is in it', async () => {
    const mark = crypto.randomUUID();
    const command = 'env -i /bin/sleep 100 & echo $!; wait';
    const env = { PATH: process.env['PATH'], PROBE: mark };
    const leader = spawn('/bin/sh', ['-c', command], { detached: true, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const [printed] = await once(leader.stdout, 'data');
    await until(() => bearersOf(mark).length === 1);
    const watcher = spawn('/bin/sh', ['-c', WATCHER], { stdio: ['pipe', 'ignore', 'ignore'] });

    watcher.stdin.end(`+ ${mark}\n`);
    await once(watcher, 'exit');

    await until(() => !isAlive(Number(printed)));
    expect([leader.pid!, Number(printed)].filter(isAlive)).toEqual([]);
  });
});
