// Random histories of a directory, made by calls (Write and Edit, programs, shells, git, 2,000 files unpacked) with edits of the user's in
// between, must come back to any message byte for byte, and again to their end, but for what the user has touched last; and processes that
// rewind are killed with SIGKILL at random moments: each file must be wholly old or wholly new, and the next opening completes the rewind.
// Control: a program that puts the files back by itself must be caught.
// HISTORIES=1000, KILLS=30, SEED=1
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { amountFrom, IS_WHOLE, numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { editTool, writeTool } from '../../tools/src/index.ts';
import { callTool } from '../../tools/test/call-tool.ts';
import { createCheckpointer } from '../src/index.ts';
import { act, call, type Deed, deeds, type Editing } from '../test/history.ts';
import { pictureBesideGit as picture } from '../test/picture.ts';
import { UsersPaths, unlike } from '../test/users-paths.ts';

const HISTORIES = numberFrom('HISTORIES', IS_WHOLE ? 1000 : 50);
const [KILLS, seed] = [amountFrom('KILLS', 30), numberFrom('SEED', 1)];
const FILES = 300;
const LONGEST_MS = 250;
const AT_ONCE = 4;

/** Names of lines of a shell, by their text. */
const LINE_NAMES: Readonly<Record<string, string>> = { back: 'git', away: 'git', many: 'unpacking' };
const effects: Record<string, number> = {};
/** By a program that the checkpoints are not told of. */
const unseenDeed: typeof call = async (_, root, deed) => act(root, deed);

/** By the tools themselves. */
const throughTools: Editing = async (doors, { kind, path, other, text }) => {
  const file_path = path;
  if (kind === 'Write') await callTool(writeTool(), { file_path, content: text }, doors);
  else await callTool(editTool(), { file_path, old_string: 'o', new_string: other, replace_all: true }, doors);
};

const tally = new Tally();
const random = randomFrom(seed);
const home = realpathSync(mkdtempSync(join(tmpdir(), 'rewinds-')));
try {
  await histories();
  const own = await killed('rewinding', KILLS);
  console.log(
    `${KILLS} kills, seed ${seed}: ${own.completed} rewinds completed later, ${own.unbegun} not begun, ${own.mixed} left mixed`,
  );
  tally.check(
    'kills',
    own.mixed > 0 || own.completed === 0 ? [`${own.mixed} left mixed, ${own.completed} completed`] : [],
  );
  const control = await killed('by hand', Math.ceil(KILLS / 2));
  console.log(`control, put back by hand: ${control.mixed} left mixed, as they must`);
  tally.check('control', control.mixed > 0 ? [] : ['nothing was mixed']);
} finally {
  rmSync(home, { recursive: true });
}
tally.end();

async function histories(): Promise<void> {
  const steps = fc.array(fc.record({ deed: deeds, isUser: fc.boolean() }), { maxLength: 5 });
  const turns = fc.array(steps, { minLength: 1, maxLength: 5 });
  const start = fc.array(deeds, { maxLength: 8 });
  const all = fc.sample(fc.record({ start, turns, chosen: fc.nat() }), { numRuns: HISTORIES, seed });
  let next = 0;
  const work = Array.from({ length: AT_ONCE }, async () => {
    for (let at = next++; at < all.length; at = next++) {
      const place = join(home, `history-${at}`);
      const history = all[at]!;
      tally.check(
        `history ${at}`,
        at % 3 === 0 ? await faultsBesideUser(place, history) : await faultsOf(place, history),
      );
      rmSync(place, { recursive: true });
    }
  });
  await Promise.all(work);
  console.log(`${HISTORIES} random histories, each rewound and brought back; in every third the user has edited too`);
  console.log(`deeds that have changed something: ${JSON.stringify(effects)}`);
  const idle = ['Write', 'Edit', 'shell', 'git', 'unpacking'].filter((one) => !effects[one]);
  tally.check(
    'every kind has changed something',
    idle.map((one) => `${one} has not`),
  );
  const unseen = await Promise.all(
    all.slice(0, 20).map((history, at) => faultsOf(join(home, `unseen-${at}`), history, unseenDeed)),
  );
  const found = unseen.filter((faults) => faults.length > 0).length;
  console.log(`control, calls that the checkpoints are not told of: found out in ${found} of ${unseen.length}`);
  tally.check('control of the histories', found > unseen.length / 2 ? [] : [`${found} found out`]);
}

interface Step {
  readonly deed: Deed;
  readonly isUser: boolean;
}
type History = {
  readonly start: readonly Deed[];
  readonly turns: readonly (readonly Step[])[];
  readonly chosen: number;
};

/** All of it is done by calls. */
async function faultsOf(place: string, { start, turns, chosen }: History, doing = call): Promise<string[]> {
  const { root, checkpointer } = await begun(place, start);
  const pictures: unknown[] = [];
  let now = picture(root);
  for (const [turn, steps] of turns.entries()) {
    pictures.push(now);
    await checkpointer.checkpoint(`${turn}`);
    for (const { deed } of steps) {
      await doing(checkpointer, root, deed, throughTools);
      const before = now;
      now = picture(root);
      note(deed, before, now);
    }
  }
  const [end, target] = [now, chosen % turns.length];
  const { errors, rewindId } = await checkpointer.rewind(`${target}`);
  const isBack = isDeepStrictEqual(picture(root), pictures[target]);
  if (rewindId !== undefined) await checkpointer.rewind(rewindId);
  await checkpointer.close();
  const isAgain = isDeepStrictEqual(picture(root), end);
  return [
    ...errors.map(({ error }) => error),
    ...(isBack ? [] : ['not as at the message']),
    ...(isAgain ? [] : ['not as at the end']),
  ];
}

/** The user edits too: paths that he touched last must stay as they are, and the end must come back. */
async function faultsBesideUser(place: string, { start, turns, chosen }: History): Promise<string[]> {
  const { root, checkpointer } = await begun(place, start);
  const target = chosen % turns.length;
  const users = new UsersPaths();
  for (const [turn, steps] of turns.entries()) {
    await checkpointer.checkpoint(`${turn}`);
    for (const { deed, isUser } of steps) {
      const before = picture(root);
      if (isUser) act(root, deed);
      else await call(checkpointer, root, deed, throughTools);
      if (turn < target) continue;
      users.note(before, picture(root), isUser);
    }
  }
  const end = picture(root);
  const { rewindId } = await checkpointer.rewind(`${target}`);
  const touched = users.touched(end, picture(root));
  if (rewindId !== undefined) await checkpointer.rewind(rewindId);
  await checkpointer.close();
  const isAgain = isDeepStrictEqual(picture(root), end);
  return [...touched.map((path) => `the user's ${path} was touched`), ...(isAgain ? [] : ['not as at the end'])];
}

/** Counts the deed when it has had an effect. */
function note({ kind, text }: Deed, before: Record<string, string>, after: Record<string, string>): void {
  const name = kind === 'shell' ? (LINE_NAMES[text] ?? kind) : kind;
  if (unlike(before, after).length > 0) effects[name] = (effects[name] ?? 0) + 1;
}

async function begun(place: string, start: readonly Deed[]) {
  const root = join(place, 'root');
  mkdirSync(root, { recursive: true });
  for (const deed of start) act(root, deed);
  if (start.length > 3) act(root, { kind: 'shell', text: 'back', path: '', other: '' }); // a repository
  return { root, checkpointer: await createCheckpointer({ cwd: root, file: join(place, 'kept') }) };
}

/** Kills programs that put files back; tells how often the directory was completed, untouched, or mixed after the next opening. */
async function killed(how: 'rewinding' | 'by hand', kills: number) {
  const sums = { completed: 0, unbegun: 0, mixed: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const place = join(home, `kill-${how}-${kill}`);
    const [root, file] = [join(place, 'root'), join(place, 'kept')];
    mkdirSync(root, { recursive: true });
    const writeAll = (text: string) => {
      for (let at = 0; at < FILES; at++) writeFileSync(join(root, `${at}`), `${text} ${at}\n`);
    };
    writeAll('old');
    const old = picture(root);
    const first = await createCheckpointer({ cwd: root, file });
    await first.checkpoint('m');
    await first.around(async () => writeAll('new'));
    const fresh = picture(root);
    await first.close();
    await killOne(how, { root, file, isBegun: how === 'rewinding' && kill % 2 === 0 });
    await (await createCheckpointer({ cwd: root, file })).close();
    const now = picture(root);
    if (isDeepStrictEqual(now, old)) sums.completed += 1;
    else if (isDeepStrictEqual(now, fresh)) sums.unbegun += 1;
    else sums.mixed += 1;
    rmSync(place, { recursive: true });
  }
  return sums;
}

interface Killed {
  readonly root: string;
  readonly file: string;
  /** After a file has been replaced, however long that takes. */
  readonly isBegun: boolean;
}

async function killOne(how: 'rewinding' | 'by hand', { root, file, isBegun }: Killed) {
  const program = join(import.meta.dirname, 'support/rewinder.ts');
  const flags = ['--conditions=@x/source', '--no-warnings', program, how, root, file, `${FILES}`];
  const { mtimeMs } = statSync(root);
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  while (isBegun && statSync(root).mtimeMs === mtimeMs) await sleep(1);
  await sleep(random() * (isBegun ? 20 : LONGEST_MS));
  child.kill('SIGKILL');
  await exit;
}
