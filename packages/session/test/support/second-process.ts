import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Another process that has the same file open, by a program of `programs`; `send` gives it a line and says what it answers. */
export function secondProcess(path: string, program = 'store-writer.ts', values: readonly string[] = []) {
  const file = join(import.meta.dirname, '../programs', program);
  const child = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', file, path, ...values], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  return {
    async send(text: string): Promise<string> {
      child.stdin.write(`${text}\n`);
      return (await lines.next()).value ?? 'it has ended';
    },
    async close(): Promise<void> {
      child.stdin.end();
      await ended;
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
