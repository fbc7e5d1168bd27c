// Random histories of a directory, made by calls, must come back to any message byte for byte, and again to their end; and processes that
// rewind are killed with SIGKILL at random moments: each file must be wholly old or wholly new, and the next opening completes the rewind.
// Control: a program that puts the files back by itself must be caught.
// HISTORIES=1000, KILLS=30, SEED=1
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { amountFrom, numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { createCheckpointer } from '../src/index.ts';
import { act, deeds } from '../test/history.ts';
import { picture } from '../test/picture.ts';

const [HISTORIES, KILLS, seed] = [amountFrom('HISTORIES', 1000), amountFrom('KILLS', 30), numberFrom('SEED', 1)];
const FILES = 300;
const LONGEST_MS = 250;
const AT_ONCE = 4;

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
  const turns = fc.array(fc.array(deeds, { maxLength: 5 }), { minLength: 1, maxLength: 5 });
  const all = fc.sample(fc.record({ start: fc.array(deeds, { maxLength: 8 }), turns, chosen: fc.nat() }), {
    numRuns: HISTORIES,
    seed,
  });
  let next = 0;
  const work = Array.from({ length: AT_ONCE }, async () => {
    for (let at = next++; at < all.length; at = next++) {
      const place = join(home, `history-${at}`);
      tally.check(`history ${at}`, await faultsOf(place, all[at]!));
      rmSync(place, { recursive: true });
    }
  });
  await Promise.all(work);
  console.log(`${HISTORIES} random histories, each rewound and brought back`);
}

type History = { readonly start: Deeds; readonly turns: readonly Deeds[]; readonly chosen: number };
type Deeds = readonly Parameters<typeof act>[1][];

async function faultsOf(place: string, { start, turns, chosen }: History): Promise<string[]> {
  const root = join(place, 'root');
  mkdirSync(root, { recursive: true });
  for (const deed of start) act(root, deed);
  const checkpointer = await createCheckpointer({ cwd: root, file: join(place, 'kept') });
  const pictures: unknown[] = [];
  for (const [turn, done] of turns.entries()) {
    pictures.push(picture(root));
    await checkpointer.checkpoint(`${turn}`);
    for (const deed of done) await checkpointer.around(async () => act(root, deed));
  }
  const [end, target] = [picture(root), chosen % turns.length];
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
    await killOne(how, { root, file });
    await (await createCheckpointer({ cwd: root, file })).close();
    const now = picture(root);
    if (isDeepStrictEqual(now, old)) sums.completed += 1;
    else if (isDeepStrictEqual(now, fresh)) sums.unbegun += 1;
    else sums.mixed += 1;
    rmSync(place, { recursive: true });
  }
  return sums;
}

async function killOne(how: 'rewinding' | 'by hand', { root, file }: { readonly root: string; readonly file: string }) {
  const program = join(import.meta.dirname, 'support/rewinder.ts');
  const flags = ['--conditions=@x/source', '--no-warnings', program, how, root, file, `${FILES}`];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  await sleep(random() * LONGEST_MS);
  child.kill('SIGKILL');
  await exit;
}
