import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs that run what they are given; those that the machine has are in the box as they are. */
const REAL = ['bash', 'sh', 'env', 'xargs', 'find', 'timeout', 'nice', 'nohup', 'setsid', 'stdbuf'];
/** Files of the directory in which the lines run: to an expansion that is taken for an option, they are one. */
const FILES = [
  'a.ts',
  'b.txt',
  'x y',
  '-exec',
  '-delete',
  '-rf',
  '--output=x.ts',
  '--to-command=x',
  '-o.txt',
  '+!x',
  'ext::x',
  'src/a.ts',
  'src/-x',
];
const STUB = `#!/real/sh\n{ printf '%s\\0' "$#" "\${0##*/}" "$@"; } >> "/log/\${LINE_NUMBER:-stray}"\n`;
/** Builtins that are programs too become stubs. */
const START = 'enable -n echo printf kill pwd\n';
const DRIVER = `cd /box; while read -r n; do LINE_NUMBER=$n BASH_ENV=/real/start /real/timeout -s KILL 0.5 /real/bash -c "$(</in/$n)" < /dev/null > /dev/null 2>&1; echo "$n" >> /log/done; done < /in/list`;

/** A place without a network and without programs but stubs, which only write down what they were given. */
export interface StubBox {
  /** The words of each stub that ran, for each line; a line that ended its own box has none. */
  run(lines: readonly string[]): Promise<readonly (readonly (readonly string[])[])[]>;
  remove(): void;
}

/** Call `remove` at the end. */
export function stubBox(names: Iterable<string>): StubBox {
  const root = mkdtempSync(join(tmpdir(), 'stub-box-'));
  for (const directory of ['real', 'bin', 'box', 'box/src']) mkdirSync(join(root, directory));
  for (const file of FILES) writeFileSync(join(root, 'box', file), '');
  writeFileSync(join(root, 'real', 'stub'), STUB, { mode: 0o755 });
  writeFileSync(join(root, 'real', 'start'), START);
  for (const name of REAL)
    if (existsSync(`/usr/bin/${name}`)) copyFileSync(realpathSync(`/usr/bin/${name}`), join(root, 'real', name));
  for (const name of new Set([...names, ...REAL])) {
    const target = existsSync(join(root, 'real', name)) ? name : 'stub';
    if (/^[\w.+-]{1,60}$/.test(name) && !/^\.+$/.test(name)) symlinkSync(`/real/${target}`, join(root, 'bin', name));
  }
  return { run: (lines) => runAll(root, lines), remove: () => rmSync(root, { recursive: true, force: true }) };
}

async function runAll(root: string, lines: readonly string[]): Promise<readonly (readonly (readonly string[])[])[]> {
  const scratch = mkdtempSync(join(root, 'run-'));
  const [given, log] = [join(scratch, 'in'), join(scratch, 'log')];
  mkdirSync(given);
  mkdirSync(log);
  for (const [at, line] of lines.entries()) writeFileSync(join(given, String(at)), line);
  let next = 0;
  while (next < lines.length) {
    const left = Array.from({ length: lines.length - next }, (_, at) => String(next + at));
    writeFileSync(join(given, 'list'), `${left.join('\n')}\n`);
    await box(root, given, log);
    const done = existsSync(join(log, 'done')) ? readFileSync(join(log, 'done'), 'utf8').trimEnd().split('\n') : [];
    // Whatever line ended the box is passed over.
    next = Math.max(next, Number(done.at(-1) ?? -1) + 1) + (done.at(-1) === String(lines.length - 1) ? 0 : 1);
  }
  const logged = lines.map((_, at) =>
    existsSync(join(log, String(at))) ? commandsIn(readFileSync(join(log, String(at)), 'utf8')) : [],
  );
  rmSync(scratch, { recursive: true, force: true });
  return logged;
}

function box(root: string, given: string, log: string): Promise<void> {
  const bind = (from: string, to: string) => ['--ro-bind', from, to];
  const places = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin'].flatMap((place) =>
    bind(join(root, 'bin'), place),
  );
  const libraries = ['/lib', '/lib64', '/usr/lib']
    .filter(existsSync)
    .flatMap((place) => bind(realpathSync(place), place));
  const own = [
    ...bind(join(root, 'real'), '/real'),
    ...bind(join(root, 'box'), '/box'),
    ...bind(given, '/in'),
    '--bind',
    log,
    '/log',
  ];
  const child = spawn(
    'bwrap',
    [
      '--unshare-all',
      '--die-with-parent',
      '--tmpfs',
      '/',
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--tmpfs',
      '/tmp',
      ...libraries,
      ...places,
      ...own,
      '/real/bash',
      '-c',
      DRIVER,
    ],
    { env: { PATH: '/bin', HOME: '/box', LC_ALL: 'C.UTF-8' }, stdio: 'ignore' },
  );
  return new Promise((resolve) => {
    child.once('close', () => resolve());
  });
}

/** The log is, for each command, how many arguments it got, its name and the arguments. */
function commandsIn(text: string): readonly (readonly string[])[] {
  const log = text.split('\0').slice(0, -1);
  const commands: (readonly string[])[] = [];
  for (let at = 0; at < log.length; at += 2 + Number(log[at]))
    commands.push(log.slice(at + 1, at + 2 + Number(log[at])));
  return commands;
}
