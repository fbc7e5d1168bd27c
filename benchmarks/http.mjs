/**
 * What the HTTP server costs: POST /v1/tools/call with all guards against bare hono and fastify that do the same work, an event stream on which
 * nothing happens, and the events of a run to many readers.
 *
 *   node benchmarks/http.mjs [--rounds 7] [--calls 5000] [--readers 1000] [--pieces 100] [--no-install]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { callAll, madeSession, reader, say } from './lib/http/clients.mjs';
import { installPeer } from './lib/install-peer.mjs';
import { libraryFile } from './lib/paths.mjs';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '5000' },
    readers: { type: 'string', default: '1000' },
    pieces: { type: 'string', default: '100' },
    'no-install': { type: 'boolean', default: false },
  },
});
const [rounds, calls, readers] = [values.rounds, values.calls, values.readers].map(Number);
const PEERS = { hono: '4.13.19', '@hono/node-server': '2.1.9', fastify: '5.12.8' };

try {
  await compareCalls();
  await countStreams();
} catch (error) {
  console.error(`http: ${error.message}`);
  process.exitCode = 1;
}

async function compareCalls() {
  const peer = { peer: 'http', dependencies: PEERS, file: 'x' };
  const folder = dirname(await installPeer(peer, { mayInstall: !values['no-install'], log: console.error }));
  const { child, said: ports } = await started('http/servers.mjs', [folder]);
  const names = Object.keys(ports);
  const took = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await callAll(ports[name], calls);
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) {
      const before = await asked(child);
      await callAll(ports[name], calls);
      took[name].push(((await asked(child)) - before) / calls);
    }
  }
  child.kill();
  console.log('| server | CPU of a call | of bare hono |\n| --- | --: | --: |');
  for (const name of names) {
    const ratio = median(took[name].map((us, round) => us / took.hono[round]));
    console.log(`| ${name} | ${median(took[name]).toFixed(0)} us | ${ratio.toFixed(2)} |`);
  }
}

async function countStreams() {
  const { child, said: port } = await started('http/sessions.mjs', [values.pieces]);
  const path = await madeSession(port);
  await say(port, path);
  const before = await asked(child);
  const all = await opened(port, path, readers);
  await new Promise((resolve) => setTimeout(resolve, 500)); // until they wait for what comes
  const waiting = await asked(child);
  const start = performance.now();
  const reading = all.map((one) => one.run());
  await say(port, path);
  const told = await Promise.all(reading);
  const seconds = (performance.now() - start) / 1000;
  const after = await asked(child);
  if (new Set(told).size > 1) throw new Error(`readers were told ${[...new Set(told)].join(', ')} events`);
  const events = told.reduce((sum, count) => sum + count, 0);
  console.log(
    `\n${readers} readers of one session: ${((waiting.bytes - before.bytes) / readers / 1024).toFixed(1)} KB each while nothing happens; ` +
      `${events} events in ${seconds.toFixed(1)} s, ${Math.round(events / seconds)} a second, ` +
      `${((after.cpuUs - waiting.cpuUs) / events).toFixed(1)} us of CPU each`,
  );
  for (const { socket } of all) socket.destroy();
  child.kill();
}

async function opened(port, path, count) {
  const all = [];
  for (let index = 0; index < count; index++) {
    const one = await reader(port, path);
    await one.run(); // what is in the log already
    all.push(one);
  }
  return all;
}

async function started(file, args) {
  const child = fork(libraryFile(file), args, { execArgv: ['--expose-gc'] });
  const [said] = await once(child, 'message');
  return { child, said };
}

async function asked(child) {
  child.send('facts');
  return (await once(child, 'message'))[0];
}
