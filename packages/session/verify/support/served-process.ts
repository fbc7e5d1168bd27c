import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts `served-worker.ts`; resolves when it serves. */
export async function startWorker(args: readonly string[]): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'served-worker.ts');
  const worker = spawn(process.execPath, ['--conditions=@x/source', program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(worker, 'message');
  return worker;
}

/** Kills it with -9. */
export async function end(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'close');
  worker.kill('SIGKILL');
  await ended;
}
