import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { bearersOf, processTable } from './process-table.ts';
import { endSurvivors, freshMark } from './survivors.ts';

function bearing(mark: string, command = 'echo; exec sleep 100', { detached = false } = {}): ChildProcess {
  const env = { PATH: process.env['PATH'], AGENT_SDK_COMMAND: mark };
  return spawn('/bin/sh', ['-c', command], { env, detached, stdio: ['ignore', 'pipe', 'ignore'] });
}

describe.runIf(process.platform === 'linux')('endSurvivors', () => {
  it('ends what bears the mark, its children too, and has waited until they are gone', async () => {
    const mark = freshMark();
    const child = bearing(mark, `trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 1; done' & echo; wait`);
    await once(child.stdout!, 'data');

    // A process has no environment while it is being started.
    await expect.poll(() => bearersOf(mark).length, { timeout: 5000 }).toBeGreaterThan(1);
    const pids = bearersOf(mark);

    expect(await endSurvivors(mark)).toBe(true);

    expect(processTable().filter(({ pid }) => pids.includes(pid))).toEqual([]);
    expect(await endSurvivors(mark)).toBe(false);
  });

  it('ends the group of a leader that bears it, whatever environment is in it', async () => {
    const mark = freshMark();
    const child = bearing(mark, 'env -i /bin/sleep 100 & echo $!; wait', { detached: true });
    const [printed] = await once(child.stdout!, 'data');
    await expect.poll(() => bearersOf(mark)).toEqual([child.pid]);

    expect(await endSurvivors(mark)).toBe(true);

    await expect.poll(() => processTable().some(({ pid }) => pid === Number(printed)), { timeout: 5000 }).toBe(false);
  });

  it('leaves alone what bears another mark', async () => {
    const [mark, other] = [freshMark(), freshMark()];
    const child = bearing(other);
    await once(child.stdout!, 'data');

    expect(await endSurvivors(mark)).toBe(false);

    expect(bearersOf(other)).toEqual([child.pid]);
    child.kill('SIGKILL');
  });

  it('does not know of another machine, and takes nothing that is less than a mark', async () => {
    const mark = freshMark();
    const child = bearing(mark);
    await once(child.stdout!, 'data');
    const elsewhere = mark.replace(/^[0-9a-f]{8}/, '00000000');

    for (const one of [elsewhere, '', mark.slice(0, -1), mark.slice(-36), 'PATH']) {
      expect(await endSurvivors(one)).toBeUndefined();
    }

    expect(bearersOf(mark)).toEqual([child.pid]);
    child.kill('SIGKILL');
  });
});
