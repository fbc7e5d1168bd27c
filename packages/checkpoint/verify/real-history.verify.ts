// needs: git
// A repository of 200 commits (files added, edited, moved, removed, binary, programs, links, directories that become files and back) is
// replayed by git, each commit as the call of a message, with modes and empty directories that git does not keep. Rewinds to messages at
// random must restore the directory exactly, bytes, modes and targets of links, and each must itself be taken back exactly; no unfinished
// file is left, and the checkpoints have grown by no more than 1.2 times what was changed and 5 MB. Control: going back by git alone.
// COMMITS=200, REWINDS=60, SEED=1
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amountFrom, numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { type Checkpointer, createCheckpointer } from '../src/index.ts';
import { picture } from '../test/picture.ts';
import { told } from './support/checkpoint-judge.ts';
import { type CommitHistory, commitHistory } from './support/commit-history.ts';
import { type Picture, unlike } from './support/three-states.ts';

const [COMMITS, REWINDS] = [amountFrom('COMMITS', 200), amountFrom('REWINDS', 60)];
const ALLOWED_BYTES = 5_000_000;

const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'real-history-')));
const [root, file] = [join(home, 'root'), join(home, 'kept')];
try {
  mkdirSync(root);
  const history = commitHistory(join(home, 'git'), COMMITS, random);
  const checkpointer = await createCheckpointer({ cwd: root, file });
  const before = statSync(`${file}-wal`).size + statSync(file).size;
  const { pictures, changedBytes } = await replayed(history, checkpointer);
  await rewound(checkpointer, pictures);
  await checkpointer.close();
  const grown = statSync(file).size - before;
  const bound = 1.2 * changedBytes + ALLOWED_BYTES;
  console.log(`${COMMITS} checkpoints: ${changedBytes} bytes changed, file grown by ${grown}`);
  tally.check('growth', grown <= bound ? [] : [`${grown} bytes, and ${bound} are allowed`]);
  control(history, pictures);
} finally {
  rmSync(home, { recursive: true });
}
tally.end();

/** Every commit as a turn; the pictures before each, and the bytes of what was changed. */
async function replayed({ commits, bring }: CommitHistory, checkpointer: Checkpointer) {
  const pictures: Picture[] = [];
  let changedBytes = 0;
  for (const [turn, commit] of commits.entries()) {
    const before = picture(root);
    pictures.push(before);
    await checkpointer.checkpoint(`${turn}`);
    await checkpointer.around(async () => {
      bring(root, commit);
      besidesGit(before);
    });
    const after = picture(root);
    for (const path of unlike(after, before)) changedBytes += after[path]?.length ?? 0;
  }
  return { pictures, changedBytes };
}

/** Leaves out modes but one bit, and empty directories: git does not keep them. */
function besidesGit(before: Picture): void {
  const now = picture(root);
  const files = Object.keys(now).filter((path) => /^\d/.test(now[path]!));
  const chosen = files[Math.floor(random() * files.length)];
  if (chosen !== undefined) chmodSync(join(root, chosen), [0o640, 0o600, 0o444, 0o755][Math.floor(random() * 4)]!);
  if (before['hollow'] === undefined) mkdirSync(join(root, 'hollow'), { mode: 0o700 });
  else rmdirSync(join(root, 'hollow'));
}

async function rewound(checkpointer: Checkpointer, pictures: readonly Picture[]): Promise<void> {
  let restored = 0;
  for (let at = 0; at < REWINDS; at++) {
    const [message, start] = [Math.floor(random() * pictures.length), picture(root)];
    const { errors, rewindId, restoredFiles, deletedFiles } = await checkpointer.rewind(`${message}`);
    restored += restoredFiles.length + deletedFiles.length;
    tally.check(`message ${message}`, [
      ...unlike(picture(root), pictures[message]!),
      ...(errors.length ? [told(errors)] : []),
    ]);
    if (rewindId === undefined) continue;
    const again = await checkpointer.rewind(rewindId);
    tally.check(`taken back, ${message}`, [...unlike(picture(root), start), ...again.errors.map(({ error }) => error)]);
    if (random() < 0.5) await checkpointer.rewind(`${message}`); // the next begins from there
  }
  const left = Object.keys(picture(root)).filter((path) => path.includes('.agent-sdk-tmp-'));
  tally.check('unfinished files', left);
  tally.check('rewinds', restored > REWINDS ? [] : [`only ${restored} files`]);
  console.log(`${REWINDS} rewinds of ${restored} files and directories, each compared and taken back`);
}

function control({ commits, bring }: CommitHistory, pictures: readonly Picture[]): void {
  let wrong = 0;
  for (let at = 0; at < 10; at++) {
    const message = 1 + Math.floor(random() * (pictures.length - 1));
    bring(root, commits[message - 1]!);
    if (unlike(picture(root), pictures[message]!).length > 0) wrong += 1;
  }
  console.log(`control, back by git: ${wrong} of 10 are not as they were, as they must`);
  tally.check('control', wrong > 0 ? [] : ['nothing was noticed']);
}
