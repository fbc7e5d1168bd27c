import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const children = new Set<ChildProcess>();

/** Starts a program of this folder and resolves with its first message. @throws when it ends before that */
export async function startChild(
  file: string,
  args: readonly string[],
): Promise<{ child: ChildProcess; first: unknown }> {
  const child = fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return { child, first: await nextMessage(child) };
}

/** @throws when the child ends before it sends one */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const leaving = new AbortController();
  const { signal } = leaving;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]: unknown[]) => message),
      once(child, 'exit', { signal }).then(([code, by]: unknown[]) => {
        throw new Error(`${child.spawnargs.at(1)} has ended with ${String(code ?? by)}`);
      }),
    ]);
  } finally {
    leaving.abort();
  }
}

/** Leaves nobody behind; for the end of this process. */
export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}
