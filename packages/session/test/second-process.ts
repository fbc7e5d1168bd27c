import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Another process that has the same file open; `send` to its session `s1` says `recorded` or the code of the error. */
export function secondProcess(path: string) {
  const program = join(import.meta.dirname, 'programs', 'store-writer.ts');
  const child = spawn(process.execPath, ['--conditions=@x/source', '--no-warnings', program, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
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
