import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts `served-worker.ts`, or another program of this folder; resolves when it serves. */
export async function startWorker(args: readonly string[], program = 'served-worker.ts'): Promise<ChildProcess> {
  const file = join(import.meta.dirname, program);
  const worker = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', file, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(worker, 'message');
  return worker;
}

/** Kills it with -9. */
export async function end(worker: ChildProcess): Promise<void> {
  await stop(worker, 'SIGKILL');
}

/** Asks it to leave, and waits until it has. */
export async function leave(worker: ChildProcess): Promise<void> {
  await stop(worker, 'SIGTERM');
}

async function stop(worker: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(worker, 'close');
  worker.kill(signal);
  await ended;
}
