import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isLiving, startOf } from './process-table.ts';
import { RunningProcess } from './running-process.ts';
import { startWatched } from './start-watched.ts';

describe.runIf(process.platform === 'linux')('RunningProcess', () => {
  it('ends what keeps the output of a command that was over before anything of it was looked at', async () => {
    const env = { PATH: process.env['PATH'] ?? '' };
    const command = ['/bin/sh', '-c', 'setsid sleep 100 & echo $!; sleep 0.05'];
    const started = startWatched(command, { cwd: tmpdir(), env, hasInput: false });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500); // as a process that gets no time

    const running = new RunningProcess(started, { signal: new AbortController().signal }, String);
    let startedAt: string | undefined;
    let text = '';
    for await (const { bytes } of running) {
      text += new TextDecoder().decode(bytes);
      startedAt = startOf(Number(text));
    }

    expect(startedAt).toBeDefined();
    await expect.poll(() => isLiving(Number(text), startedAt)).toBe(false);
  });
});
