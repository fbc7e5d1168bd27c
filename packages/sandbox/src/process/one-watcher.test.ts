import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { endWithHost, type WatchedCommand } from './end-with-host.ts';

const commands: WatchedCommand[] = [];
afterEach(() => commands.splice(0).forEach((command) => command.ended()));
const begun = (mark: string) => {
  const command = endWithHost(mark);
  commands.push(command);
  return command;
};

/** The shells that this process has started. */
const watchers = () =>
  readdirSync('/proc').flatMap((pid) => {
    const stat = /^\d+$/.test(pid) ? statOf(pid) : '';
    return stat.includes(`(sh) S ${process.pid} `) || stat.includes(`(sh) R ${process.pid} `) ? Number(pid) : [];
  });

/** proc(5): the number, the name, the state and the parent come first. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return ''; // it has ended
  }
}

describe.skipIf(process.platform !== 'linux')('endWithHost (Linux)', () => {
  it('starts another watcher where somebody has ended it, and takes the end of a command once', async () => {
    const leader = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void leader.kill());
    begun('one').begun(leader.pid!);
    const [first = 0, ...others] = watchers();
    expect([first > 0, others]).toEqual([true, []]);

    process.kill(first, 'SIGKILL');
    const second = await vi.waitFor(
      () => {
        const command = begun('two');
        expect(watchers()).toHaveLength(1);
        expect(watchers()).not.toContain(first);
        return command;
      },
      { timeout: 15_000 },
    );

    second.ended();
    expect(() => second.ended()).not.toThrow();
  });
});
