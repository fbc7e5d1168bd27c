// A server with all its guards next to a bare one in the same run, and a normal client among 1,000 that send their headers slowly.
// alone: it compares processor times
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { opened } from '../test/support/raw.ts';

const CALLS = numberFrom('HTTP_CALLS', 2_000);
const ROUNDS = 55;
const CLIENTS = 16;
const SLOW = 1_000;
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
const body = JSON.stringify({ name: 'add-one', parameters: { a: 1 } });
const tally = new Tally();

const child = fork(fileURLToPath(new URL('./support/load-servers.ts', import.meta.url)));
const [{ guarded, bare }] = (await once(child, 'message')) as [{ guarded: number; bare: number }]; // its two ports
await load(guarded, CALLS);
await load(bare, CALLS);
const took = { bare: [] as number[], guarded: [] as number[] };
for (let round = 0; round < ROUNDS; round += 1) {
  const order = round % 2 === 0 ? (['bare', 'guarded'] as const) : (['guarded', 'bare'] as const); // neither is always second
  for (const name of order) took[name].push(await load(name === 'bare' ? bare : guarded, CALLS));
}
const share = medianOf(took.bare.map((bare, round) => bare / took.guarded[round]!)); // of neighbours: the machine is slower at times
const figures = `bare ${medianOf(took.bare).toFixed(1)} µs, guarded ${medianOf(took.guarded).toFixed(1)} µs`;
console.log(`processor time of a call, median of ${ROUNDS}: ${figures}: ${Math.round(share * 100)} %`);
tally.check('ZH01n 70 % of the bare server', share >= 0.7 ? [] : [`${Math.round(share * 100)} %`]);

const slow = await Promise.all(Array.from({ length: SLOW }, () => opened(guarded)));
for (const socket of slow) socket.on('error', () => undefined).write('POST /v1/tools/call HTTP/1.1\r\nHost: ');
const times: number[] = [];
for (let call = 0; call < 500; call += 1) {
  const start = performance.now();
  await answered(guarded);
  times.push(performance.now() - start);
}
const p99 = times.toSorted((one, other) => one - other)[495]!; // of 500
console.log(`among ${SLOW} slow clients: p99 ${p99.toFixed(1)} ms`);
tally.check('ZH04 a normal client among slow ones', p99 < 100 ? [] : [`${p99} ms`]);
await Promise.all(slow.map(async (socket) => socket.destroyed || (await once(socket.resume(), 'close'))));
tally.check('ZH01i all slow clients are closed', slow.every(({ destroyed }) => destroyed) ? [] : ['one is open']);
agent.destroy();
child.kill();
tally.end();

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!; // there are some
}

/** Microseconds that a call takes of the processor of the servers: what others do on this machine is not in them. */
async function load(port: number, calls: number): Promise<number> {
  let left = calls;
  const before = await usedMicroseconds();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (; left > 0; left -= 1) await answered(port);
    }),
  );
  return ((await usedMicroseconds()) - before) / calls;
}

async function usedMicroseconds(): Promise<number> {
  child.send('cpu');
  const [used] = (await once(child, 'message')) as [number];
  return used;
}

async function answered(port: number): Promise<void> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length, authorization: 'Bearer secret' };
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/v1/tools/call', agent, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  if (answer.statusCode !== 200 || !text.includes('"result":2')) throw new Error(`${answer.statusCode} ${text}`);
}
