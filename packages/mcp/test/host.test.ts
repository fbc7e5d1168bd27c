import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, closing, isRunning, until } from './support/hubs.ts';

afterEach(closeAll);

const program = fileURLToPath(new URL('./programs/host.ts', import.meta.url));

/** A host in a process of its own, and the processes of its server. */
async function startHost(how: string) {
  const host = spawn(process.execPath, ['--no-warnings', '--conditions=@x/source', program, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing(() => void host.kill('SIGKILL'));
  const [text] = await once(host.stdout, 'data');
  return { host, pids: String(text).trim().split(' ').map(Number) };
}

describe('the official SDK', () => {
  it('is loaded with the first connection, not with the package', async () => {
    const loads = fileURLToPath(new URL('./programs/loads.ts', import.meta.url));
    const child = spawn(process.execPath, ['--no-warnings', '--conditions=@x/source', loads], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });

    const [atImport, atConnection] = JSON.parse(await text(child.stdout));

    expect(atImport).toBe(0);
    expect(atConnection).toBeGreaterThan(0);
  });
});

describe('the processes of a server', () => {
  it('end with a host that is killed (M10)', async () => {
    const { host, pids } = await startHost('wait');
    expect(pids.map(isRunning)).toEqual([true, true]);

    host.kill('SIGKILL');

    await until(() => pids.every((pid) => !isRunning(pid)));
  });

  it.each(['leave', 'end'])('end with a host that has not closed its hub: %s (M10)', async (how) => {
    const { host, pids } = await startHost(how);

    const [code] = host.exitCode === null ? await once(host, 'exit') : [host.exitCode];

    expect(code).toBe(0);
    await until(() => pids.every((pid) => !isRunning(pid)));
  });
});
