// A process of the suites that kill checkpoints, or let their system calls fail: `checkpoint-worker.ts <call|rewind> <root> <file> <guard>`.
// Says what it has come to, a line of JSON each, and waits for a word before it begins. Guards that are taken out: `record` (of a rewind),
// `look` (a call does not wait for the look at what it has done), `errors` (a rewind says nothing of them).
import { readdirSync, readSync, writeSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { hostWorkspace } from '@x/sandbox';
import { createCheckpointer } from '../../src/index.ts';
import { KeeperClient } from '../../src/worker/keeper-client.ts';
import { changeKinds } from './three-states.ts';

const [task, cwd = '', file = '', guard] = process.argv.slice(2);
if (guard === 'record' || guard === 'look') withoutGuard();
const pool = (await readlink('/proc/thread-self')).split('/').at(-1);
const before = new Set(threads());
const checkpointer = await createCheckpointer({
  cwd,
  file,
  onProblem: (error) => say('problem', { error: String(error) }),
});
const keeper = threads().find((one) => !before.has(one));
say('open', { main: `${process.pid}`, pool, keeper });
readSync(0, Buffer.alloc(1));
if (task === 'rewind') await rewind();
else await call();
await checkpointer.close();
say('closed');

async function rewind(): Promise<void> {
  const result = await checkpointer.rewind('m');
  say('rewound', { result: guard === 'errors' ? { ...result, success: true, errors: [] } : result });
}

async function call(): Promise<void> {
  await attempt('point', () => checkpointer.checkpoint('m'));
  await attempt('around', () =>
    checkpointer.around(async () => {
      changeKinds(cwd);
      return 'its result';
    }),
  );
  await attempt('second point', () => checkpointer.checkpoint('m2'));
  const workspace = checkpointer.watch(hostWorkspace({ cwd }), 'by a door');
  await attempt('door', () => workspace.writeFile('a', Buffer.from('a by a door\n')));
}

async function attempt(kind: string, act: () => Promise<unknown>): Promise<void> {
  try {
    say(kind, { value: await act() });
  } catch (error) {
    say(`no ${kind}`, { error: String(error) });
  }
}

function say(kind: string, more: Record<string, unknown> = {}): void {
  writeSync(1, `${JSON.stringify({ kind, ...more })}\n`);
}

function threads(): string[] {
  return readdirSync('/proc/self/task');
}

function withoutGuard(): void {
  const ask = KeeperClient.prototype.ask as (...values: unknown[]) => Promise<unknown>;
  Object.defineProperty(KeeperClient.prototype, 'ask', {
    value(this: KeeperClient, method: string, ...values: unknown[]) {
      if (guard === 'record' && method === 'begin') return Promise.resolve();
      const answer = ask.call(this, method, ...values);
      if (guard !== 'look' || !['scan', 'touch'].includes(method)) return answer;
      answer.catch(() => undefined);
      return Promise.resolve([]);
    },
  });
}
