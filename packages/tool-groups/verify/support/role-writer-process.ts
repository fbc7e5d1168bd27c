import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What is known of one role: the name it has for sure, and the one that was asked for and not acknowledged. */
export interface Acknowledged {
  /** Its name, or `deleted`. */
  readonly done: string;
  readonly begun?: string;
}

/** How a writer works. */
export interface WriterPlan {
  readonly directory: string;
  readonly how: 'store' | 'in place';
  readonly writer: number;
  /** Where Node keeps what it compiled, so that the next process begins sooner. */
  readonly cache: string;
  /** Kept up to date from what the process says. */
  readonly states: Map<string, Acknowledged>;
}

/** One process that saves roles until it is killed. */
export interface WriterProcess {
  /** When it has said its first word. */
  readonly begun: Promise<void>;
  /** How much it has acknowledged. */
  acknowledged(): number;
  isRunning(): boolean;
  /** Resolves when all that it said has been read. @throws Error when it ended by itself */
  kill(): Promise<void>;
}

const program = fileURLToPath(new URL('./role-writer.ts', import.meta.url));

/** Lets a process end by itself, which alone writes what Node compiled: each later one begins sooner. */
export async function warmUp(cache: string): Promise<void> {
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const child = spawn(process.execPath, ['--conditions=@x/source', program, cache, 'not at all', '0'], {
    env,
    stdio: 'inherit',
  });
  await once(child, 'exit');
}

/** Starts a process; it says `begin <id> <name>` before each step and `done <id> <name>` after it. */
export function startWriter({ directory, how, writer, states, cache }: WriterPlan): WriterProcess {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=@x/source', program, directory, how, String(writer)],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_COMPILE_CACHE: cache } },
  );
  const begun = Promise.withResolvers<void>();
  let acknowledged = 0;
  const lines = createInterface({ input: child.stdout! }); // piped above
  lines.on('line', (line) => {
    begun.resolve();
    const [word, id, name] = line.split(' ');
    if (id === undefined || name === undefined) return; // cut off by the kill
    const { done } = states.get(id) ?? { done: 'deleted' };
    if (word === 'begin') states.set(id, { done, begun: name });
    if (word !== 'done') return;
    states.set(id, { done: name });
    acknowledged += 1;
  });
  const read = once(lines, 'close');
  const ended = once(child, 'exit');
  void ended.then(() => begun.reject(new Error('The writer ended by itself'))).catch(() => undefined);
  return {
    begun: begun.promise,
    acknowledged: () => acknowledged,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL');
      const [code] = await ended;
      if (code !== null) throw new Error(`The writer ended by itself with ${code}`);
      await read;
    },
  };
}
