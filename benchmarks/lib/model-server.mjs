import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

/** Starts the scripted model server in its own process; the caller stops it. `replyMs`: how long each reply takes, from and to. */
export async function createModelServer({ eventsPerWrite = 16, replyMs = [0, 0] } = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'server.mjs')], {
    env: { ...process.env, COALESCE: String(eventsPerWrite), REPLY_MS: replyMs.join('-') },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(child.stdout, 'data');
  const origin = `http://127.0.0.1:${JSON.parse(line).port}`;
  return {
    origin,
    stats: async () => (await fetch(`${origin}/__stats`)).json(),
    reset: async () => {
      await (await fetch(`${origin}/__reset`, { method: 'POST' })).text();
    },
    stop: () => child.kill('SIGTERM'),
  };
}
