// needs: mkfs.ext4 mkfs.xfs mount unshare setpriv prlimit
// Places that really fail: disks that fill up at different moments (tmpfs and ext4 of some hundred kilobytes), a file system that can
// only be read, directories and files without permission, something in the way, too many open files. The session's host must be told
// a typed error that says what to do, nothing acknowledged may be lost, no log half written; once the cause is gone the same process
// goes on, and a fresh one too. A home whose parents are missing is made. A control that acknowledges early must lose.
// Needs root: where there is none it says so, and fails under CI.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { acknowledgedIn } from './support/acknowledgements.ts';
import { judgeBusy } from './support/busy-judge.ts';
import type { Told } from './support/busy-work.ts';
import { withOwnMounts } from './support/own-mounts.ts';
import type { PlaceFailure } from './support/place-writer.ts';
import { Tally } from './support/tally.ts';

/** Kilobytes. */
const TMPFS_SIZES = [64, 100, 140, 180, 260, 340, 480, 700, 1000, 1400, 2000];
const EXT4_FREE = [40, 120, 300, 700, 1500];

/** A full disk is waited for as long as a lease lasts, which takes half a minute and no time of a processor. */
const AT_ONCE = 8;

interface Place {
  readonly name: string;
  /** Below the folder of the place. */
  readonly path?: string;
  readonly prepare: (at: string) => void;
  readonly mend: (at: string) => void;
  /** What the process is run by. */
  readonly under?: readonly string[];
  readonly filesLeft?: number;
  /** A guard that is taken out. */
  readonly guard?: 'acknowledge';
  /** Must be in the message; absent: no error is expected. */
  readonly advice?: RegExp;
}

/** Root without the right to go past permissions. */
const AS_ANYBODY = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
const FULL = /Free some space/;
const RIGHTS = /right to write|can be written/;

const places: readonly Place[] = [
  ...TMPFS_SIZES.map(
    (size): Place => ({
      name: `tmpfs of ${size} kB`,
      prepare: (at) => run('mount', ['-t', 'tmpfs', '-o', `size=${size}k`, 'tmpfs', at]),
      mend: (at) => run('mount', ['-o', 'remount,size=64m', at]),
      advice: FULL,
    }),
  ),
  ...EXT4_FREE.map(
    (free): Place => ({
      name: `ext4 with ${free} kB left`,
      prepare: (at) => ext4(at, free),
      mend: (at) => rmSync(join(at, 'filler')),
      advice: FULL,
    }),
  ),
  {
    name: 'a file system that can only be read',
    prepare: (at) => run('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', at]),
    mend: (at) => run('mount', ['-o', 'remount,rw', at]),
    advice: /can only be read|right to write/,
  },
  {
    name: 'a directory without permission',
    path: 'home/sessions.db',
    prepare: (at) => chmodSync(at, 0o500),
    mend: (at) => chmodSync(at, 0o700),
    under: AS_ANYBODY,
    advice: RIGHTS,
  },
  {
    name: 'a file in a directory that cannot be written',
    prepare: (at) => {
      writeFileSync(join(at, 'sessions.db'), '');
      chmodSync(at, 0o500);
    },
    mend: (at) => chmodSync(at, 0o700),
    under: AS_ANYBODY,
    advice: RIGHTS,
  },
  {
    name: 'a file in the way of the directory',
    path: 'home/sessions.db',
    prepare: (at) => writeFileSync(join(at, 'home'), ''),
    mend: (at) => rmSync(join(at, 'home')),
    advice: /directory/,
  },
  {
    name: 'a directory in the way of the file',
    prepare: (at) => mkdirSync(join(at, 'sessions.db')),
    mend: (at) => rmSync(join(at, 'sessions.db'), { recursive: true }),
    advice: /directory/,
  },
  {
    name: 'parents that are missing',
    path: 'one/two/three/sessions.db',
    prepare: () => undefined,
    mend: () => undefined,
  },
  ...[0, 1, 2].map(
    (filesLeft): Place => ({
      name: `too many open files, ${filesLeft} left`,
      prepare: () => undefined,
      mend: () => undefined,
      under: ['prlimit', '--nofile=64'],
      filesLeft,
      advice: /too many|open files/i,
    }),
  ),
];

const folder = await withOwnMounts(fileURLToPath(import.meta.url), 'bad-places');
if (folder !== undefined) await inside(folder);

async function inside(below: string): Promise<void> {
  const tally = new Tally();
  let told = 0;
  const left = [...places.entries()];
  const judgeNext = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [index, place] = next;
      const at = join(below, `place-${index}`);
      mkdirSync(at);
      const { faults, failure, told: own } = await trial(place, at, join(below, `work-${index}`));
      tally.check(place.name, faults);
      told += own;
      const short = failure.message.length > 150 ? `${failure.message.slice(0, 150)}...` : failure.message;
      console.log(`${place.name}: ${own} told, then ${failure.code} ${short.replaceAll(below, '')}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, judgeNext));
  await control(below, tally);
  console.log(`${places.length} places, ${told} things told`);
  tally.end();
  process.exit(); // the outer process still holds the input open
}

async function control(below: string, tally: Tally): Promise<void> {
  const at = join(below, 'control');
  mkdirSync(at);
  const place = { ...places[4]!, guard: 'acknowledge' } as const;
  const { faults } = await trial(place, at, join(below, 'control-work'));
  const lost = faults.find((one) => one.startsWith('lost'));
  console.log(`control, acknowledged early: ${lost?.slice(0, 120) ?? 'nothing noticed'}`);
  tally.check('control, acknowledged early', lost === undefined ? ['the harness saw nothing wrong'] : []);
}

async function trial(
  place: Place,
  at: string,
  cwd: string,
): Promise<{ faults: string[]; told: number; failure: PlaceFailure }> {
  mkdirSync(cwd);
  place.prepare(at);
  const path = join(at, place.path ?? 'sessions.db');
  const list = join(cwd, 'told.jsonl');
  const writer = startWriter(place, [path, cwd, list]);
  const failure = await writer.failure;
  const faults: string[] = [];
  const expected = place.advice ? 'STORE_FAILED' : 'none';
  if (failure.code !== expected) faults.push(`told ${failure.code} ${failure.message}`);
  if (place.advice && !place.advice.test(failure.message)) faults.push(`does not say what to do: ${failure.message}`);
  place.mend(at);
  const { code, errors } = await writer.goOn();
  if (code !== 0) faults.push(`the same process ended with ${code}: ${errors}`);
  const told = (await acknowledgedIn(list)) as Told[]; // safe: written by that process
  const { lost, faults: all } = await judgeBusy(path, told, cwd);
  return { faults: [...faults, ...lost.map((one) => `lost ${one}`), ...all], told: told.length, failure };
}

function startWriter({ under = [], filesLeft, guard }: Place, values: readonly string[]) {
  const source = fileURLToPath(new URL('support/place-writer.ts', import.meta.url));
  const node = [process.execPath, '--conditions=@x/source', '--no-warnings', source];
  const own = [...node, ...values, '200', String(filesLeft ?? ''), guard ?? 'none'];
  const [command = '', ...rest] = [...under, ...own];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const writer = spawn(command, rest, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  writer.stderr.on('data', (bytes: Buffer) => {
    errors += bytes.toString();
  });
  writer.stdin.on('error', () => undefined); // it has ended
  const ended = new Promise<number | null>((resolve) => writer.once('close', resolve));
  const failure = Promise.race([
    new Promise<PlaceFailure>((resolve) =>
      writer.stdout.once('data', (bytes: Buffer) => resolve(JSON.parse(bytes.toString()) as PlaceFailure)),
    ),
    ended.then((code): PlaceFailure => ({ code: `it ended with ${code}`, message: errors })),
  ]);
  const goOn = async () => {
    writer.stdin.end('go\n');
    return { code: await ended, errors };
  };
  return { failure, goOn };
}

function ext4(at: string, freeKilobytes: number): void {
  const image = join(dirname(at), 'small.img');
  rmSync(image, { force: true });
  writeFileSync(image, '');
  run('truncate', ['-s', '8M', image]);
  run('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
  run('mount', ['-o', 'loop', image, at]);
  const free = execFileSync('df', ['--output=avail', '-k', at], { encoding: 'utf8' }).trim().split('\n').at(-1);
  writeFileSync(join(at, 'filler'), Buffer.alloc((Number(free) - freeKilobytes) * 1024));
}

function run(command: string, values: readonly string[]): void {
  execFileSync(command, values, { stdio: ['ignore', 'ignore', 'pipe'] });
}
