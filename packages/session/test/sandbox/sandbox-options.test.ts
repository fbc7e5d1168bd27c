import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentEvent } from '@x/core';
import type { SandboxSettings } from '@x/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from '../support/has-bubblewrap.ts';
import { bash, ran, write } from '../support/sandboxed.ts';

let folder = '';
let outside = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sandboxed-')));
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')));
  writeFileSync(join(outside, 'note.txt'), 'from outside');
});
afterAll(() => {
  for (const one of [folder, outside]) rmSync(one, { recursive: true });
});

const violations = (events: readonly AgentEvent[]) => events.filter(({ type }) => type === 'violation');

describe.skipIf(!hasBubblewrap)(`a session's sandbox${NEEDS_BUBBLEWRAP}`, () => {
  it('enabled: runs commands where only the working directory can be written and no network is (B05)', async () => {
    const { outputs, failed } = await ran(
      folder,
      [
        bash('echo in > in.txt; cat in.txt'),
        bash(`echo out > ${outside}/out.txt`),
        bash('python3 -c "import socket; print(socket.if_nameindex())"'),
      ],
      {},
    );

    expect(outputs[0]).toBe('in\n');
    expect(readFileSync(join(folder, 'in.txt'), 'utf8')).toBe('in\n');
    expect(failed).toEqual([false, true, false]);
    expect(existsSync(join(outside, 'out.txt'))).toBe(false);
    expect(outputs[2]).toBe("[(1, 'lo')]\n");
  });

  it('enabled: false or absent, runs them on the host (B06)', async () => {
    const line = `cat ${outside}/note.txt`;

    expect((await ran(folder, [bash(line)], { enabled: false })).outputs).toEqual(['from outside']);
    expect((await ran(folder, [bash(line)], {})).failed).toEqual([true]);
  });

  it('passes the session’s variables and no key of this process (B20)', async () => {
    process.env['SECRET_OF_TEST'] = 'key-4711';
    const { outputs } = await ran(
      folder,
      [bash('env; tr "\\0" "\\n" </proc/self/environ; cat /proc/*/environ | grep -c 4711; true')],
      {},
      { env: { GREETING: 'hello' }, canUseTool: async () => ({ behavior: 'allow' }) },
    ).finally(() => delete process.env['SECRET_OF_TEST']);

    expect(outputs[0]).toContain('GREETING=hello');
    expect(outputs[0]).not.toContain('key-4711');
    expect(outputs[0]?.trim().split('\n').at(-1)).toBe('0');
  });

  it('filesystem: opens and closes paths, for commands and file tools alike (B01, B19)', async () => {
    mkdirSync(join(folder, 'kept'), { recursive: true });
    writeFileSync(join(folder, 'hidden.txt'), 'hidden');
    const filesystem = { allowRead: [outside], denyRead: ['hidden.txt'], denyWrite: ['kept'] };
    const read = (path: string) => ({ name: 'Read', input: { file_path: path } });
    const note = join(outside, 'note.txt');

    const { outputs, failed } = await ran(
      folder,
      [
        bash(`cat ${note}`),
        read(note),
        bash('cat hidden.txt'),
        read('hidden.txt'),
        bash('touch kept/x'),
        write('kept/x'),
        write(join(outside, 'y')),
      ],
      { filesystem },
    );
    const opened = await ran(folder, [write(join(outside, 'y')), bash(`touch ${outside}/z`)], {
      filesystem: { allowWrite: [outside] },
    });

    expect(outputs[0]).toBe('from outside');
    expect(outputs[1]).toContain('from outside');
    expect(`${outputs[2]}${outputs[3]}`).not.toContain('hidden\n');
    expect(failed.slice(3)).toEqual([true, true, true, true]);
    expect(existsSync(join(folder, 'kept', 'x'))).toBe(false);
    expect(opened.failed).toEqual([false, false]);
  });

  it('filesystem: denyRead hides what belongs to the system, too, from commands and file tools (B01, B15)', async () => {
    const { outputs, failed } = await ran(
      folder,
      [bash('cat /etc/passwd'), { name: 'Read', input: { file_path: '/etc/passwd' } }, bash('ls /usr/share')],
      { filesystem: { denyRead: ['/etc/passwd', '/usr/share'] } },
    );

    expect(outputs[0]).not.toContain('root:');
    expect(failed.slice(0, 2)).toEqual([true, true]);
    expect(outputs[2]).not.toContain('doc');
  });

  it('reaches nothing through a link, whenever it was made (B19, ZS05)', async () => {
    symlinkSync(outside, join(folder, 'old-link'));

    const { failed } = await ran(
      folder,
      [write('old-link/a'), bash(`ln -s ${outside} new-link; echo a > new-link/b`), write('new-link/c')],
      {},
    );

    expect(failed).toEqual([true, true, true]);
    expect(['a', 'b', 'c'].filter((name) => existsSync(join(outside, name)))).toEqual([]);
  });

  it('limits: bound what a command may take (B22, ZS15)', async () => {
    const { outputs } = await ran(
      folder,
      [bash('head -c 3000000 /dev/zero > big; stat -c %s big; ulimit -d; ulimit -t')],
      {
        limits: { fileSizeMb: 1, memoryMb: 512, cpuSeconds: 7 },
      },
    );

    expect(outputs[0]?.match(/^\d+$/gm)).toEqual(['1048576', '524288', '7']);
  });

  it('tells of refused accesses with the id of their call; ignored ones are refused all the same (B13, B18, ZS20)', async () => {
    const line = bash('touch /etc/sandbox-test; curl -sS http://service.example.com; true');

    const told = await ran(folder, [{ ...line, id: 'call-1' }, write('/etc/other')], {});
    const ignored = await ran(folder, [line], {
      ignoreFileViolations: ['/etc/*'],
      ignoreNetworkViolations: ['*.example.com'],
    });

    expect(violations(told.events)).toEqual([
      { type: 'violation', id: expect.any(String), kind: 'file', detail: '/etc/sandbox-test' },
      { type: 'violation', id: expect.any(String), kind: 'network', detail: 'service.example.com' },
      { type: 'violation', id: expect.any(String), kind: 'file', detail: '/etc/other' },
    ]);
    expect(violations(ignored.events)).toEqual([]);
    expect(existsSync('/etc/sandbox-test')).toBe(false);
  });

  it('network: connects to listed UNIX sockets and to no other (B11, B12)', async () => {
    const listening = (name: string) =>
      new Promise<Server>((resolve) => {
        const server = createServer((socket) => socket.end('answer')).listen(join(folder, name), () => resolve(server));
      });
    const servers = [await listening('open.sock'), await listening('shut.sock')];
    const line = bash(
      ['open.sock', 'shut.sock']
        .map(
          (name) => `python3 -c "import socket;s=socket.socket(socket.AF_UNIX);s.connect('${name}');print(s.recv(9))"`,
        )
        .join('; '),
    );
    const answers = async (network: SandboxSettings['network']) =>
      (await ran(folder, [line], network ? { network } : {})).outputs[0]?.match(/answer/g)?.length ?? 0;

    expect(await answers(undefined)).toBe(0);
    expect(await answers({ allowedUnixSockets: ['open.sock'] })).toBe(1);
    expect(await answers({ allowAllUnixSockets: true })).toBe(2);
    for (const server of servers) server.close();
  });

  it('network: of the sockets in a directory that is shown only the listed ones are open (B11)', async () => {
    const places = ['open.sock', 'shut.sock'].map((name) => join(outside, name));
    const servers = places.map((place) => createServer((socket) => socket.end('answer')).listen(place));
    const connect = (place: string) =>
      `python3 -c "import socket;s=socket.socket(socket.AF_UNIX);s.connect('${place}');print(s.recv(9))"`;

    const { outputs } = await ran(folder, [bash(places.map(connect).join('; '))], {
      filesystem: { allowRead: [outside] },
      network: { allowedUnixSockets: [places[0]!] },
    });
    for (const server of servers) server.close();

    expect(outputs[0]?.match(/answer|refused/g)).toEqual(['answer', 'refused']);
  });

  it('network: allowedDomains [*] is the network of this machine, an empty list none (B10)', async () => {
    const server = createServer((socket) => socket.end('answer'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const line = bash(`exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`);

    expect((await ran(folder, [line], { network: { allowedDomains: ['*'] } })).outputs[0]).toBe('answer');
    expect((await ran(folder, [line], { network: { allowedDomains: [] } })).failed).toEqual([true]);
    server.close();
  });

  it('network: a command may listen, and reaches itself alone (B10)', async () => {
    const { outputs } = await ran(
      folder,
      [
        bash(
          'python3 -m http.server 8123 --bind 127.0.0.1 & for i in {1..150}; do (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null && echo reached && break; sleep 0.2; done',
        ),
      ],
      { network: { allowLocalBinding: true } },
    );

    expect(outputs[0]).toContain('reached');
  });

  it('driver: none, when it is named, is no wall (B14)', async () => {
    expect((await ran(folder, [bash(`cat ${outside}/note.txt`)], { driver: 'none' })).outputs).toEqual([
      'from outside',
    ]);
  });

  it('hooks: run inside as well, when that is chosen (B23)', async () => {
    const marker = join(outside, 'hook-ran');
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command' as const, command: `touch ${marker}; exit 0` }] }] };

    await ran(folder, [bash('true')], { hooks: true }, { hooks });
    expect(existsSync(marker)).toBe(false);
    await ran(folder, [bash('true')], {}, { hooks });
    expect(existsSync(marker)).toBe(true);
  });

  it('shows commands nothing that a Read rule denies, whatever it is called by (ZP12)', async () => {
    mkdirSync(join(folder, 'app', 'keys'), { recursive: true });
    writeFileSync(join(folder, 'app', '.env'), 'TOKEN=4711');
    writeFileSync(join(folder, 'app', 'keys', 'a'), 'KEY=4711');
    symlinkSync('.env', join(folder, 'app', 'harmless'));
    const line = bash(
      'cat app/.env app/harmless app/keys/*; grep -r 4711 app; python3 -c "print(open(\'app/.env\').read())"; true',
    );

    const { outputs } = await ran(folder, [line], {}, { disallowedTools: ['Read(**/.env)', 'Read(app/keys/**)'] });
    const open = await ran(folder, [line], {}, {});

    expect(outputs[0]).not.toContain('4711');
    expect(open.outputs[0]).toContain('TOKEN=4711');
  });
});
