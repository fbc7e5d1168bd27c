// 200 readers of a session's events that take nothing, and one that takes 10 KB a second, while the session says a lot and a normal client talks
// to another one: it is served in order and soon, the memory of the server stays bounded, the stalled ones are disconnected and the slow one is
// not. The control, a server that waits for no reader, must fail.
// alone: it holds the time of a client against 100 ms
// READERS=200
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { eventIn, framesOf } from '../test/support/hosted.ts';
import { opened } from '../test/support/raw.ts';

const READERS = numberFrom('READERS', 200);
const CONTROLS = 40;
const STALL_MS = 10_000;
const MOST_OF_READER = 512 * 1024;
const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
const tally = new Tally();

const folder = await mkdtemp(join(tmpdir(), 'stalled-readers-'));
const child = fork(fileURLToPath(new URL('support/flooding-server.ts', import.meta.url)), [folder, String(STALL_MS)], {
  execArgv: ['--conditions=@x/source', '--no-warnings', '--expose-gc'],
});
const [{ port, heedless }] = (await once(child, 'message')) as [{ port: number; heedless: number }];
const url = `http://127.0.0.1:${port}/v1/sessions`;
try {
  const loud = await made();
  // What a flood itself needs, without readers.
  const [alone] = await Promise.all([talk(), flooded(loud)]);
  const stalled = await Promise.all(Array.from({ length: READERS }, () => reader(port, `/v1/sessions/${loud}/events`)));
  const slow = await reader(port, `/v1/sessions/${loud}/events`);
  const reading = slowly(slow);
  const before = await facts(child);
  const [times] = await Promise.all([talk(), flooded(loud)]);
  const after = await facts(child);
  const each = (after.bytes - before.bytes) / READERS;
  console.log(
    `${READERS} stalled readers: ${kilobytes(each)} each, p99 of the normal client ${times.p99.toFixed(1)} ms, ${alone.p99.toFixed(1)} ms without them`,
  );
  tally.check('ZH01h the memory of a stalled reader', each < MOST_OF_READER ? [] : [kilobytes(each)]);
  tally.check('ZH04 a normal client among them', times.p99 < Math.max(100, 2 * alone.p99) ? [] : [`${times.p99} ms`]);
  tally.check('a normal client is served in order', times.faults);
  await disconnected();
  tally.check('ZH01h the slow reader is not disconnected', slow.destroyed ? ['it is'] : []);
  slow.destroy();
  console.log(`the slow reader has taken ${kilobytes(await reading)}, and was still served`);
  for (const socket of stalled) socket.destroy();
  await controlled(loud);
} finally {
  child.kill('SIGKILL');
  await rm(folder, { recursive: true });
}
tally.end();

async function made(): Promise<string> {
  const answer = await fetch(url, { method: 'POST', headers, body: '{}' });
  return ((await answer.json()) as { sessionId: string }).sessionId;
}

async function say(sessionId: string, text: string): Promise<void> {
  const { status } = await fetch(`${url}/${sessionId}/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ text }),
  });
  if (status !== 202) throw new Error(`${status}`);
}

/** Resolves when the session has said a lot. */
async function flooded(sessionId: string): Promise<void> {
  await say(sessionId, 'Flood.');
  for (;;) {
    await sleep(50);
    const row = (await (await fetch(`${url}/${sessionId}`, { headers })).json()) as { state: string; queued: number };
    if (row.state === 'idle' && row.queued === 0) return;
  }
}

/** A connection that has been answered and reads nothing. */
async function reader(to: number, path: string): Promise<Socket> {
  const socket = await opened(to);
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${to}\r\nAuthorization: Bearer secret\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

/** Takes 10 KB a second; resolves to the bytes. */
async function slowly(socket: Socket): Promise<number> {
  let bytes = 0;
  while (!socket.destroyed) {
    bytes += (socket.read(Math.min(1_024, socket.readableLength)) as Buffer | null)?.length ?? 0;
    await sleep(100);
  }
  return bytes;
}

/** Sends to a session of its own and follows as anybody does, and asks for the session meanwhile: times of all requests. */
async function talk(): Promise<{ p99: number; faults: string[] }> {
  const sessionId = await made();
  const times: number[] = [];
  const timed = async (act: () => Promise<unknown>) => {
    const start = performance.now();
    await act();
    times.push(performance.now() - start);
  };
  const heard: string[] = [];
  const frames = framesOf(await fetch(`${url}/${sessionId}/events`, { headers }));
  for (let turn = 0; turn < 60; turn += 1) {
    await timed(() => say(sessionId, `Hello ${turn}.`));
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      const { event } = eventIn(next.value);
      if (event.type === 'user_message') heard.push(event.content);
      if (event.type === 'result') break;
    }
    for (let request = 0; request < 4; request += 1)
      await timed(async () => await (await fetch(`${url}/${sessionId}`, { headers })).text());
  }
  await frames.return();
  const faults = heard.flatMap((text, turn) => (text === `Hello ${turn}.` ? [] : [`${text} came as number ${turn}`]));
  const sorted = times.toSorted((one, other) => one - other);
  return {
    p99: sorted[Math.floor(sorted.length * 0.99)]!,
    faults: heard.length === 60 ? faults : [`${heard.length} of 60`],
  };
}

/** Resolves when the server has ended the stalled connections. */
async function disconnected(): Promise<void> {
  const start = performance.now();
  let { connections } = await facts(child);
  while (connections > 20 && performance.now() - start < 2 * STALL_MS) {
    await sleep(200);
    ({ connections } = await facts(child));
  }
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(`${connections} connections are left after ${seconds} s`);
  tally.check('ZH01h stalled readers are disconnected', connections > 20 ? [`${connections} are connected`] : []);
}

/** The same with a server that waits for no reader. */
async function controlled(sessionId: string): Promise<void> {
  const before = await facts(child);
  const stalled = await Promise.all(Array.from({ length: CONTROLS }, () => reader(heedless, `/${sessionId}`)));
  await flooded(sessionId);
  const each = ((await facts(child)).bytes - before.bytes) / CONTROLS;
  for (const socket of stalled) socket.destroy();
  console.log(`control, a server that waits for no reader: ${kilobytes(each)} each`);
  tally.check(
    'control, a server that waits for no reader',
    each > MOST_OF_READER ? [] : ['the harness saw nothing wrong'],
  );
}

async function facts(of: ChildProcess): Promise<{ bytes: number; connections: number }> {
  const answer = once(of, 'message');
  of.send('facts');
  const [found] = (await answer) as [{ bytes: number; connections: number }];
  return found;
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KB`;
}
