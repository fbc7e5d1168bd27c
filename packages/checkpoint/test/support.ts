import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Checkpointer, type CheckpointerOptions, createCheckpointer } from '../src/index.ts';
import { Keeper, type KeeperOptions } from '../src/store/keeper.ts';

/** A fresh directory, and a place for checkpoints beside it. */
export function place(): { readonly root: string; readonly file: string } {
  const around = realpathSync(mkdtempSync(join(tmpdir(), 'checkpoint-')));
  const root = join(around, 'root');
  execFileSync('mkdir', [root]);
  onTestFinished(() => rmSync(around, { recursive: true, force: true }));
  return { root, file: join(around, 'kept', 'checkpoints.db') };
}

/** Checkpoints of a directory, closed after the test. */
export async function opened(
  { root, file }: { readonly root: string; readonly file: string },
  options: Partial<CheckpointerOptions> = {},
): Promise<Checkpointer> {
  const checkpointer = await createCheckpointer({ cwd: root, file, ...options });
  onTestFinished(() => checkpointer.close());
  return checkpointer;
}

/** Runs a line of a shell in the directory, as any program may. */
export function shell(root: string, line: string): void {
  execFileSync('/bin/bash', ['-c', line], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** A keeper in this thread, closed after the test. */
export function kept({ root, file }: { root: string; file: string }, limits: Partial<KeeperOptions> = {}): Keeper {
  mkdirSync(dirname(file), { recursive: true });
  const keeper = new Keeper({
    file,
    root,
    maxFiles: 1_000,
    maxFileBytes: 1_000_000,
    maxTotalBytes: 10_000_000,
    ...limits,
  });
  onTestFinished(() => {
    try {
      keeper.close();
    } catch {
      // closed by the test
    }
  });
  return keeper;
}
