import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { guardedBy, hostHooks } from './host-hooks.ts';

const onLinux = process.platform === 'linux';
const { folder, judged, close } = hostHooks();

afterAll(close);

/** False also for a process that has ended and is not collected yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !onLinux || !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Those of the processes written to a file, one a line, that still live once there was time for a killed one to go. */
async function livingOf(file: string, count: number): Promise<number[]> {
  const ids = readFileSync(file, 'utf8').trim().split('\n').map(Number);
  if (ids.length !== count || ids.some((id) => !(id > 1))) throw new Error(`the file holds ${ids.join(' ')}`);
  for (let round = 0; round < 200 && ids.some(isAlive); round++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return ids.filter(isAlive);
}

/** A file for the process ids of one test. */
let files = 0;
const pidFile = (): string => join(folder(), `pids-${(files += 1)}`);
/** Resolves when a file holds so many lines. */
async function present(file: string, lines: number): Promise<void> {
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  while (text().split('\n').length <= lines) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.runIf(onLinux)('the processes of a command hook', () => {
  const trees: readonly [string, (file: string) => string, number][] = [
    ['itself', (file) => `echo $$ > ${file}; exec sleep 100`, 1],
    ['a child', (file) => `sleep 100 & echo $! > ${file}; wait`, 1],
    ['one that ignores SIGTERM', (file) => `trap '' TERM INT HUP; echo $$ > ${file}; while :; do sleep 1; done`, 1],
    ['a child in a session of its own', (file) => `setsid sleep 100 & echo $! > ${file}; wait`, 1],
    [
      'a grandchild and its parent',
      (file) => `bash -c 'sleep 100 & echo $! > ${file}; echo $$ >> ${file}; wait' & wait`,
      2,
    ],
  ];

  it.each(trees)('are gone after a timeout: %s', async (_what, command, count) => {
    const file = pidFile();

    const { ran } = await judged(guardedBy(command(file), { timeout: 1 }));

    expect(ran).toEqual([]);
    expect(await livingOf(file, count)).toEqual([]);
  });

  it.each(trees)('are gone after an abort, and the call does not run: %s', async (_what, command, count) => {
    const abort = new AbortController();
    const file = pidFile();

    const judging = judged(guardedBy(command(file), { timeoutBehavior: 'ignore', failureBehavior: 'ignore' }), {
      signal: abort.signal,
    });
    await present(file, count);
    abort.abort();
    const { ran, value } = await judging;

    expect(ran).toEqual([]);
    expect(value.interrupted).toBe('not_run');
    expect(await livingOf(file, count)).toEqual([]);
  });

  it.each<[string, (file: string) => string]>([
    ['a child in the background', (file) => `sleep 100 & echo $! > ${file}`],
    ['one that keeps no output open', (file) => `nohup sleep 100 > /dev/null 2>&1 & echo $! > ${file}`],
    ['one in a session of its own that keeps the output', (file) => `setsid sleep 100 & echo $! > ${file}; sleep 0.03`],
  ])('are gone after a success: %s', async (_what, command) => {
    const file = pidFile();

    const { ran } = await judged(guardedBy(command(file)));

    expect(ran).toHaveLength(1);
    expect(await livingOf(file, 1)).toEqual([]);
  });

  it.each<[string, (file: string) => string]>([
    ['a flood', (file) => `echo $$ > ${file}; exec yes`],
    ['a flood of stderr', (file) => `echo $$ > ${file}; exec yes >&2`],
    ['a flood of a child', (file) => `(until [ -s ${file} ]; do sleep 0.01; done; exec yes) & echo $! > ${file}; wait`],
    ['a failure with a child left', (file) => `sleep 100 & echo $! > ${file}; exit 1`],
    ['a denial with a child left', (file) => `sleep 100 & echo $! > ${file}; exit 2`],
  ])('are gone after %s, and the call does not run', async (_what, command) => {
    const file = pidFile();

    const { ran } = await judged(guardedBy(command(file)));

    expect(ran).toEqual([]);
    expect(await livingOf(file, 1)).toEqual([]);
  });

  it('are seen while they live (control)', async () => {
    const abort = new AbortController();
    const file = pidFile();

    const judging = judged(guardedBy(`echo $$ > ${file}; exec sleep 100`), { signal: abort.signal });
    await present(file, 1);
    const before = isAlive(Number(readFileSync(file, 'utf8')));
    abort.abort();
    await judging;

    expect(before).toBe(true);
  });
});
