// What a file door of the host workspace costs over node:fs: `node benchmarks/doors.mjs [--rounds 7] [--calls 2000]` after `pnpm build`.
import { mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hostWorkspace } from '@x/agent-sdk';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, calls: { type: 'string', default: '2000' } },
});
const [rounds, calls] = [values.rounds, values.calls].map(Number);

const cwd = await realpath(await mkdtemp(join(tmpdir(), 'benchmark-doors-')));
const content = new Uint8Array(8_192).fill(120);
await mkdir(join(cwd, 'src/deep'), { recursive: true });
for (let file = 0; file < 100; file++) await writeFile(join(cwd, `src/f${file}`), content);
const [read, written] = [join(cwd, 'src/deep/read'), join(cwd, 'src/deep/written')];
await writeFile(read, content);
const workspace = hostWorkspace({ cwd });
const bound = { noFollow: true };

const works = {
  'read 8 kB': {
    'node:fs': () => readFile(read),
    door: () => workspace.readFile(read),
    'door, noFollow': () => workspace.readFile(read, bound),
  },
  'write 8 kB, durable': {
    'node:fs': () => durably(written),
    door: () => workspace.writeFile(written, content),
    'door, noFollow': () => workspace.writeFile(written, content, bound),
  },
  stat: {
    'node:fs': () => stat(read),
    door: () => workspace.stat(read),
    'door, noFollow': () => workspace.stat(read, bound),
  },
  'list 101 names': {
    'node:fs': () => readdir(join(cwd, 'src'), { withFileTypes: true }),
    door: () => Array.fromAsync(workspace.list(join(cwd, 'src'))),
    'door, noFollow': () => Array.fromAsync(workspace.list(join(cwd, 'src'), bound)),
  },
  resolve: { 'node:fs': () => realpath(read), door: () => workspace.resolve(read) },
};

console.log('| work | by | wall | CPU | wall over node:fs |\n| --- | --- | --: | --: | --: |');
for (const [work, ways] of Object.entries(works)) {
  const found = new Map(Object.keys(ways).map((way) => [way, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [way, call] of Object.entries(ways)) {
      const cost = await costOf(call);
      if (round >= 0) found.get(way).push(cost);
    }
  }
  const floor = median(found.get('node:fs').map(({ wall }) => wall));
  for (const [way, costs] of found) {
    const [wall, cpu] = ['wall', 'cpu'].map((kind) => median(costs.map((cost) => cost[kind])));
    console.log(`| ${work} | ${way} | ${wall.toFixed(1)} us | ${cpu.toFixed(1)} us | ${(wall / floor).toFixed(2)}x |`);
  }
}
console.log(
  `\nMedians of ${rounds} interleaved rounds of ${calls} calls, one after another. Node ${process.versions.node}.`,
);
await rm(cwd, { recursive: true });

/** Microseconds of one call. */
async function costOf(call) {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  for (let index = 0; index < calls; index++) await call();
  const { user, system } = process.cpuUsage(before);
  return { wall: ((performance.now() - startedAt) * 1_000) / calls, cpu: (user + system) / calls };
}

/** The steps that a file needs which is replaced in one step and stays after a power cut. */
async function durably(path) {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'wx');
  await file.writeFile(content);
  await file.sync();
  await file.close();
  await rename(temporary, path);
  const directory = await open(join(path, '..'));
  await directory.sync();
  await directory.close();
}
