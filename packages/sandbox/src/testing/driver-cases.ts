import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { sleep } from '@x/core';
import { type DriverTrial, same } from './driver-trial.ts';

export type DriverCase = readonly [name: string, check: (trial: DriverTrial) => Promise<void>];

/** A variable of this process that no command may see. */
const SECRET = 'AGENT_SDK_DRIVER_SECRET';

/** Cases about commands that do no harm. */
const ordinary: readonly DriverCase[] = [
  [
    'runs lines and programs, with their input, output and exit code',
    async ({ make, root }) => {
      const box = await make({ env: { GIVEN: 'a value' } });
      const line = await box.run('pwd; cat; echo "$GIVEN" >&2; exit 3', { input: 'text' });
      same([line.stdout, line.stderr, line.exitCode], [`${root}\ntext`, 'a value\n', 3], 'A line');
    },
  ],
  [
    'passes every word on as it is',
    async ({ make }) => {
      const words = ['', ' ', `a'b"c`, '$HOME', '`id`', '$(id)', 'two\nlines', '\\', '*', '-x', '漢字'];
      const box = await make();
      const program = ['node', '-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...words];
      same(JSON.parse((await box.run(program)).stdout), words, 'The words that a program was given');
    },
  ],
  [
    'lets a command write where the settings say, and read what they show',
    async ({ make, root, outside }) => {
      mkdirSync(join(outside, 'own'));
      const box = await make({
        filesystem: { allowWrite: [join(outside, 'own')], allowRead: [join(outside, 'note')] },
      });
      const { stdout } = await box.run(`cat '${outside}/note'; echo a > made; echo b > '${outside}/own/made'`);
      same(stdout, 'of the host', 'A file that is shown');
      const written = [join(root, 'made'), join(outside, 'own/made')].map((path) => readFileSync(path, 'utf8'));
      same(written, ['a\n', 'b\n'], 'Files that were written');
    },
  ],
  [
    'mixes up nothing of eight commands at once',
    async ({ make, root }) => {
      const box = await make();
      const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
      const results = await Promise.all(names.map((name) => box.run(`echo ${name}; echo ${name} > ${name}`)));
      same(
        results.map(({ stdout }) => stdout),
        names.map((name) => `${name}\n`),
        'The output of each',
      );
      same(readdirSync(root).sort(), names, 'What is in the directory afterwards');
    },
  ],
];

/** Cases about what a command must not reach. */
const refused: readonly DriverCase[] = [
  [
    'lets nothing outside be changed, by any spelling',
    async ({ make, root, outside }) => {
      symlinkSync(outside, join(root, 'old-link'));
      const box = await make();
      const places = [outside, '../outside', 'old-link', `/proc/self/root${outside}`, '/proc/self/cwd/../outside'];
      for (const place of places)
        await box.run(`echo x > '${place}/note'; echo x > '${place}/new'; mkdir '${place}/d'`);
      await box.run(`ln -s '${outside}' link; echo x > link/note; echo x > link/new; mv made link/`);
      await box.run(`rm -rf '${outside}'; mv '${outside}' moved; ln '${outside}/note' hard && echo x > hard`);
      same(readdirSync(outside), ['note'], 'What is in a directory outside');
      same(readFileSync(join(outside, 'note'), 'utf8'), 'of the host', 'A file outside');
    },
  ],
  [
    'shows nothing outside, and nothing that is hidden',
    async ({ make, root, outside }) => {
      writeFileSync(join(root, 'key'), 'a key');
      symlinkSync(outside, join(root, 'link'));
      const box = await make({ filesystem: { denyRead: [join(root, 'key')] } });
      const { stdout } = await box.run(
        `cat key '${outside}/note' link/note '/proc/self/root${outside}/note'; cat < key`,
      );
      same(stdout, '', 'What a command has read');
    },
  ],
  [
    'keeps what the settings deny to write, and what the host obeys, and leaves nothing in its place',
    async ({ make, root }) => {
      mkdirSync(join(root, '.git/hooks'), { recursive: true });
      for (const name of ['kept', '.git/config', '.git/hooks/pre-commit', '.bashrc'])
        writeFileSync(join(root, name), 'old');
      const box = await make({ filesystem: { denyWrite: [join(root, 'kept')] } });
      for (const name of [
        'kept',
        '.git/config',
        '.git/hooks/pre-commit',
        '.bashrc',
        '.mcp.json',
        '.vscode/tasks.json',
      ]) {
        await box.run(
          `mkdir -p "$(dirname '${name}')"; echo new > '${name}'; echo new > t && mv -f t '${name}'; rm -f '${name}'`,
        );
      }
      const left = ['kept', '.git/config', '.git/hooks/pre-commit', '.bashrc'].map((name) =>
        readText(join(root, name)),
      );
      same(left, ['old', 'old', 'old', 'old'], 'Protected files');
      same(
        [existsSync(join(root, '.mcp.json')), existsSync(join(root, '.vscode'))],
        [false, false],
        'Those that were not there',
      );
    },
  ],
  [
    'gives no variable of this process to a command',
    async ({ make }) => {
      process.env[SECRET] = 'secret-of-the-host';
      try {
        const box = await make();
        const { stdout } = await box.run('env; cat /proc/*/environ 2>/dev/null; true');
        same(stdout.includes('secret-of-the-host'), false, 'The variable is seen');
      } finally {
        delete process.env[SECRET];
      }
    },
  ],
  [
    'opens neither network nor sockets of the host',
    async ({ make, root, outside }) => {
      const places = [0, join(outside, 's'), join(root, 's')];
      const servers = await Promise.all(places.map(listening));
      try {
        const [{ server: tcp } = servers[0]!] = servers;
        const address = tcp.address();
        const port = typeof address === 'object' ? address?.port : 0;
        const box = await make();
        const targets = JSON.stringify([{ port, host: '127.0.0.1' }, { path: places[1] }, { path: places[2] }]);
        const line = `for (const to of ${targets}) require('net').connect(to).on('error', () => {}).on('connect', function () { this.end('x') })`;
        await box.run(['node', '-e', line]);
        same(
          servers.map(({ connections }) => connections()),
          [0, 0, 0],
          'Connections (TCP, socket outside, socket inside)',
        );
      } finally {
        for (const { server } of servers) server.close();
      }
    },
  ],
];

/** Cases about the end of commands. */
const ended: readonly DriverCase[] = [
  [
    'ends all of a command with it, at its time-out and at an abort',
    async ({ make, root }) => {
      const box = await make();
      const beating = (name: string) => `(while true; do echo x >> ${name}; sleep 0.05; done) >/dev/null 2>&1 &`;
      await box.run(`${beating('a')} sleep 0.2`);
      const signal = AbortSignal.timeout(1_000);
      await box.run(`${beating('b')} sleep 100`, { signal }).catch(() => undefined);
      const short = await make({ limits: { timeoutMs: 1_000 } });
      const { timedOut } = await short.run(`${beating('c')} sleep 100`);
      same(timedOut, true, 'The time-out is told');
      const sizes = () => ['a', 'b', 'c'].map((name) => readText(join(root, name)).length);
      const before = sizes();
      await sleep(500);
      same(sizes(), before, 'What is still being written after the end');
    },
  ],
  [
    'holds the limits that it says it can hold',
    async ({ make, root }) => {
      const { limits } = (await make()).capabilities;
      if (limits.includes('fileSizeMb')) {
        const box = await make({ limits: { fileSizeMb: 1 } });
        await box.run(['node', '-e', `fs.writeFileSync('large', Buffer.alloc(3e6))`]);
        same(readText(join(root, 'large')).length <= 1024 ** 2, true, 'A file is at most as large as fileSizeMb');
      }
      if (!limits.includes('processes')) return;
      const few = await make({ limits: { processes: 40 } });
      const line = 'for i in $(seq 100); do sleep 1 & done; wait';
      const { exitCode, stderr } = await few.run(line);
      same(exitCode !== 0 || stderr !== '', true, '100 processes are too many for 40');
    },
  ],
];

export const driverCases: readonly DriverCase[] = [...ordinary, ...refused, ...ended];

async function listening(place: number | string): Promise<{ server: Server; connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('error', () => undefined).resume();
  });
  await new Promise<void>((resolve) =>
    typeof place === 'number' ? server.listen(place, '127.0.0.1', resolve) : server.listen(place, resolve),
  );
  return { server, connections: () => count };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
