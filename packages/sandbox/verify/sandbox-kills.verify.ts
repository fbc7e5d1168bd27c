// needs: bwrap pgrep
// Ends a process that runs contained commands with SIGKILL, at random moments: 2 s later nothing of the commands may run, and after the next
// command over the same directory no placeholder and no process group may be left.
// KILLS=100
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { amountFrom } from '../../session/verify/support/tally.ts';
import { createSandbox } from '../src/create-sandbox.ts';

const KILLS = amountFrom('KILLS', 100);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-kills-')));
const mark = `7${process.pid}${Date.now()}`;
const work = `import { createSandbox } from ${JSON.stringify(join(import.meta.dirname, '../src/create-sandbox.ts'))};
const box = await createSandbox({ cwd: ${JSON.stringify(folder)} });
console.log('begins');
for (;;) await Promise.all([
  box.run('(setsid sleep ${mark} &); sleep ${mark} & sleep 0.05'),
  box.run('true'),
  box.run('sleep ${mark}', { signal: AbortSignal.timeout(100) }).catch(() => undefined),
]);`;
const flags = ['--conditions=@x/source', '--no-warnings', '--input-type=module', '-e', work];

let withPlaceholders = 0;
const killed = new Set<number>();
for (let kill = 0; kill < KILLS; kill++) {
  const child = spawn(process.execPath, flags, {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  });
  await once(child.stdout, 'data'); // how long a process needs to come so far is the machine's affair
  await sleep(Math.random() * 350);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  killed.add(child.pid!);
  if (readdirSync(folder).length > 0) withPlaceholders += 1;
}
await sleep(2_000);
const survivors = spawnSync('pgrep', ['-f', `sleep ${mark}`], { encoding: 'utf8' }).stdout.trim();
const box = await createSandbox({ cwd: folder });
await box.run('true');
await box.close();
const left = readdirSync(folder);
// Others that use this machine have groups of their own.
const groups = globSync('/sys/fs/cgroup/{,pids/}**/agent-sdk-*').filter((one) =>
  killed.has(Number(basename(one).split('-')[2])),
);
rmSync(folder, { recursive: true, force: true });

console.log(`${KILLS} kills, ${withPlaceholders} of them with placeholders in the directory`);
console.log(
  `left: ${survivors ? survivors.split('\n').length : 0} processes, ${left.length} placeholders, ${groups.length} process groups ${groups.join(' ')}`,
);
// Without a kill in the middle of a command nothing would have been tried.
process.exitCode = survivors === '' && left.length === 0 && groups.length === 0 && withPlaceholders > 0 ? 0 : 1;
