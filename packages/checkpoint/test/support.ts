import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Checkpointer, type CheckpointerOptions, createCheckpointer } from '../src/index.ts';

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
