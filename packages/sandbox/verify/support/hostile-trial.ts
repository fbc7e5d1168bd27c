import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox, type Sandbox } from '../../src/create-sandbox.ts';
import { ATTEMPTS, WORK } from './attempts.ts';

const DRIVERS = ['bubblewrap', 'sandbox-runtime'] as const;
/** Calls that the filter of the runtime lets through. */
const LET_THROUGH = new Set(
  'keyctl,process_vm_readv,setuid by chmod,setuid by install,setuid by open,fchmodat2'.split(','),
);

const [place = '', name = ''] = process.argv.slice(2);
const driver = DRIVERS.find((one) => one === name);
const [outside, repository, control, home] = ['outside', 'repository', 'control', 'home'].map((name) =>
  join(place, name),
) as [string, string, string, string];
const mark = `8${process.pid}${Date.now()}`;
const faults: string[] = [];
let connections = 0;

layOut();
const servers = await listen();
const before = fingerprint();

const box = await createSandbox({ cwd: repository, env: facts(repository), ...(driver ? { driver } : {}) });
console.log(`${box.driver}; limits: ${box.capabilities.limits.join(', ')}`);
const skipsBomb = !box.capabilities.limits.includes('processes');
const tried = ATTEMPTS.filter(({ name }) => !(skipsBomb && name === 'fork bomb'));
for (const { name, line } of tried) await attempt(name, line);
// All at once: what one command does to protected places while another is being started.
await Promise.all(
  tried
    .filter(({ line }) => /\.git|\.vscode|\.bashrc/.test(line))
    .map(({ name, line }) => attempt(`${name}, at once`, line)),
);
const reached = connections;
for (const [name, line] of WORK) {
  const { exitCode, stdout, stderr } = await box.run(line);
  if (exitCode !== 0) faults.push(`ordinary work failed: ${name}: ${exitCode} ${stdout} ${stderr}`);
}
await box.close();

if (reached > 0) faults.push(`${reached} connections have reached the host`);
if (fingerprint() !== before) faults.push('the host has changed');
for (const left of ['.vscode', '.mcp.json', '.envrc', '.bashrc', '.git/commondir', '.git/config.worktree']) {
  if (lstatSync(join(repository, left), { throwIfNoEntry: false })) faults.push(`${left} is there`);
}
await sleep(500);
const survivors = spawnSync('pgrep', ['-f', `sleep ${mark}`], { encoding: 'utf8' }).stdout.trim();
if (survivors !== '') faults.push(`survivors: ${survivors}`);
const groups = globSync(`/sys/fs/cgroup/{,pids/}agent-sdk-${process.pid}-*`);
if (groups.length > 0) faults.push(`process groups: ${groups.join(' ')}`);

console.log(`${tried.length} attempts, ${WORK.length} kinds of ordinary work, ${faults.length} faults`);
const noticed = await escapesWithoutWall();
for (const server of servers) server.close();
for (const fault of faults) console.log(`FAULT ${fault}`);
process.exit(faults.length > 0 || noticed.escaped < noticed.of ? 1 : 0);

async function attempt(name: string, line: string): Promise<void> {
  const { stdout, stderr } = await box.run(line);
  if (!stdout.includes('ESCAPED')) return;
  if (driver === 'sandbox-runtime' && LET_THROUGH.has(name)) console.log(`let through, as is known: ${name}`);
  else faults.push(`${name}: ${line}\n${stdout}${stderr}`);
}

/** The same without a wall, as far as that harms nothing: the suite notices what it looks for. */
async function escapesWithoutWall(): Promise<{ escaped: number; of: number }> {
  const open: Sandbox = await createSandbox({ cwd: control, driver: 'none', env: facts(control) });
  const harmless = ATTEMPTS.filter((one) => one.control);
  let escaped = 0;
  for (const { name, line } of harmless) {
    const { stdout } = await open.run(line);
    if (stdout.includes('ESCAPED')) escaped += 1;
    else console.log(`the control has not escaped: ${name}`);
  }
  await open.close();
  console.log(`control: ${escaped} of ${harmless.length} escape without a wall`);
  return { escaped, of: harmless.length };
}

function facts(folder: string): Record<string, string> {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  const port = String((servers[0]!.address() as { port: number }).port);
  return {
    OUT: outside,
    REPO: folder,
    PORT: port,
    MARK: mark,
    HOST_HOME: home,
    HOST_PID: String(process.pid),
    ADDRESSES: addresses.join(' '),
  };
}

function layOut(): void {
  for (const folder of [outside, repository, control, join(home, '.ssh')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(outside, 'secret'), 'secret\n');
  writeFileSync(join(outside, 'kept'), 'kept\n');
  writeFileSync(join(home, '.ssh', 'id'), 'key\n');
  for (const folder of [repository, control]) {
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(join(folder, 'a'), 'a\n');
    writeFileSync(join(folder, '.npmrc'), 'x=1\n');
    symlinkSync('../outside', join(folder, 'old-link'));
    const git = ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b'];
    execFileSync('git', [...git, 'add', 'a']);
    execFileSync('git', [...git, 'commit', '-qm', 'first']);
  }
}

async function listen() {
  const places = [
    { port: 0, host: '::' },
    join(outside, 'sock'),
    join(repository, 'own.sock'),
    join(control, 'own.sock'),
    '\0agent-hostile',
  ];
  return await Promise.all(
    places.map(
      (where) =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer((socket) => {
            connections += 1;
            socket.end();
          });
          server.listen(where as never, () => resolve(server)); // safe: a path or options
        }),
    ),
  );
}

/** What must not change: everything of the host that the attempts name. */
function fingerprint(): string {
  const hash = createHash('sha256');
  const paths = [
    outside,
    home,
    join(repository, '.git/config'),
    join(repository, '.git/hooks'),
    join(repository, '.npmrc'),
  ];
  for (const path of [...paths, '/etc/passwd', '/proc/sys/kernel/core_pattern']) hash.update(stateOf(path));
  for (const directory of ['/', '/etc', '/usr', '/usr/bin']) hash.update(readdirSync(directory).join());
  return hash.digest('hex');
}

function stateOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return `${path} none\n`;
  if (found.isDirectory()) {
    return `${path} ${found.mode}\n${readdirSync(path)
      .map((name) => stateOf(join(path, name)))
      .join('')}`;
  }
  const content = found.isSymbolicLink() ? readlinkSync(path) : found.isFile() ? readFileSync(path, 'latin1') : '';
  return `${path} ${found.mode} ${content}\n`;
}
