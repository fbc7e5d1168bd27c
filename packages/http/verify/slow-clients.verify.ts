// needs: slowhttptest wrk
// slowhttptest with 500 connections in each of its ways (slow headers, slow bodies, slow readers, ranges that overlap): somebody else is
// served all the time, and those who do not come to an end are disconnected; then wrk with 64 connections: all are answered. Controls: a
// server without time limits keeps the slow ones, and wrk tells of answers that are refused.
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Tally } from '../../session/verify/support/tally.ts';

const CONNECTIONS = 500;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'slow-clients-'));
const child = fork(fileURLToPath(new URL('./support/slow-servers.ts', import.meta.url)));
const [{ guarded, bare }] = (await once(child, 'message')) as [{ guarded: number; bare: number }]; // its two ports
const tally = new Tally();

interface Attack {
  /** A way of slowhttptest. */
  readonly way: string;
  readonly url: string;
  readonly verb?: string;
  /** Seconds after which the attack gives up. */
  readonly length: number;
}
const LIST = `http://127.0.0.1:${guarded}/v1/tools?limit=100`;
const CALL = `http://127.0.0.1:${guarded}/v1/tools/call`;

await attack('slow headers', { way: '-H', url: LIST, length: 60 });
await attack('slow bodies', { way: '-B', url: CALL, verb: 'POST', length: 60 });
await attack('ranges that overlap', { way: '-R', url: LIST, length: 60 });
// Their answers are with the system already, which keeps them for as long as they are read.
await attack('slow readers', { way: '-X', url: LIST, length: 6 }, false);
const kept = await attacked({ way: '-H', url: `http://127.0.0.1:${bare}/`, length: 8 });
tally.check('control, a server without time limits', kept.open > 0 ? [] : ['all were disconnected']);

const loaded = await wrk(LIST);
tally.check('wrk', [...loaded.faults, ...(loaded.requests > 0 ? [] : ['nothing was answered'])]);
const refused = await wrk(`http://127.0.0.1:${guarded}/nowhere`);
tally.check('control, a path that is not there', refused.faults.length > 0 ? [] : ['wrk has told nothing']);

child.kill();
rmSync(folder, { recursive: true });
tally.end();

async function attack(name: string, way: Attack, isEnding = true): Promise<void> {
  const { isServed, open, seconds } = await attacked(way);
  console.log(`${name}: ${CONNECTIONS - open} of ${CONNECTIONS} were disconnected within ${seconds} s`);
  const left = isEnding && open > 0 ? [`${open} are still connected`] : [];
  tally.check(name, [...(isServed ? [] : ['nobody else was served']), ...left]);
}

async function attacked({ way, url, verb = 'GET', length }: Attack) {
  const report = join(folder, way);
  const speed = ['-c', String(CONNECTIONS), '-r', '250', '-i', '1', '-l', String(length), '-p', '20'];
  const about = ['-t', verb, '-f', 'application/json', '-u', url, '-g', '-o', report];
  const { stdout } = await run('slowhttptest', [way, ...speed, ...about], { maxBuffer: 64 * 1024 * 1024 });
  const rows = readFileSync(`${report}.csv`, 'utf8').trim().split('\n').slice(1);
  const seconds = rows.map((row) => row.split(',').map(Number)); // second, closed, pending, connected, service available
  const isAllGone = stdout.includes('No open connections left');
  return {
    isServed: seconds.length > 0 && seconds.every(([, , , , available]) => available! > 0),
    open: isAllGone ? 0 : (seconds.at(-1)?.[3] ?? CONNECTIONS),
    seconds: seconds.length,
  };
}

async function wrk(url: string) {
  const { stdout } = await run('wrk', ['-t1', '-c64', '-d2s', '--timeout', '20s', url]);
  const faults = stdout.split('\n').filter((line) => /Non-2xx|Socket errors/.test(line));
  return { requests: Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0), faults };
}
