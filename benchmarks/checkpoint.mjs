// What looking at a directory costs, and how checkpoints grow: `node benchmarks/checkpoint.mjs [--files 10000] [--rounds 15] [--changes 1000]`
// after `pnpm build`, with git on PATH. `--lines` is the size of the file that changes. Fails when the file of the checkpoints grows by
// more than 1.2 times what was written and 5 MB, or when an unfinished file is left.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCheckpointer } from '@x/checkpoint';
import { hostWorkspace } from '@x/sandbox';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '15' },
    changes: { type: 'string', default: '1000' },
    lines: { type: 'string', default: '100' },
  },
});
const [files, rounds, changes, lines] = [values.files, values.rounds, values.changes, values.lines].map(Number);
const place = mkdtempSync(join(tmpdir(), 'bench-checkpoint-'));
const root = join(place, 'root');
for (let at = 0; at < files; at++) {
  if (at % 50 === 0) mkdirSync(join(root, `d${at / 50}`), { recursive: true });
  writeFileSync(join(root, `d${Math.floor(at / 50)}`, `f${at}.txt`), `${at}\n`.repeat(300));
}
const git = (...words) => execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words]);
const timed = async (act) => {
  const before = performance.now();
  const value = await act();
  return [performance.now() - before, value];
};

/** The value, and the longest time that the event loop was held up. */
async function withLag(act) {
  let [last, worst] = [performance.now(), 0];
  const note = () => {
    worst = Math.max(worst, performance.now() - last - 1);
    last = performance.now();
  };
  const timer = setInterval(note, 1);
  const value = await act();
  clearInterval(timer);
  note();
  return [value, worst];
}

const [baseline, checkpointer] = await timed(() => createCheckpointer({ cwd: root, file: join(place, 'kept') }));
const [gitBaseline] = await timed(() => {
  git('init', '-q');
  git('add', '-A');
  git('write-tree');
});
const found = { around: [], lag: [], git: [], find: [] };
for (let round = -2; round < rounds; round++) {
  const [[around], lag] = await withLag(() => timed(() => checkpointer.around(async () => undefined)));
  const [status] = await timed(() => git('status', '--porcelain'));
  const [find] = await timed(() => execFileSync('find', [root, '-newer', root, '-size', '+1G']));
  if (round < 0) continue;
  found.around.push(around / 2);
  found.lag.push(lag);
  found.git.push(status);
  found.find.push(find);
}
await checkpointer.checkpoint('start');
const sizeOf = (path) => Number(execFileSync('du', ['-sb', path], { encoding: 'utf8' }).split('\t')[0]);
const before = statSync(join(place, 'kept')).size;
let written = 0;
const one = join(root, 'd0', 'f0.txt');
const textOf = (at) => Array.from({ length: lines }, (_, line) => `line ${line} of change ${at}\n`).join('');
const workspace = checkpointer.watch(hostWorkspace({ cwd: root }), 'call');
const [churn] = await timed(async () => {
  for (let at = 0; at < changes; at++) {
    const text = textOf(at);
    written += text.length;
    await checkpointer.checkpoint(`m${at}`);
    await workspace.writeFile(one, Buffer.from(text));
  }
});
const memory = process.memoryUsage().rss;
await checkpointer.close();
const grown = statSync(join(place, 'kept')).size - before;
const left = readdirSync(root, { recursive: true }).filter((path) => path.includes('.agent-sdk-tmp-'));
const repository = join(root, '.git');
const gitBefore = sizeOf(repository);
const gitChanges = Math.min(changes, 1000);
const [gitChurn] = await timed(() => {
  for (let at = 0; at < gitChanges; at++) {
    writeFileSync(one, textOf(-at - 1));
    git('add', one);
    git('write-tree');
  }
});
const gitGrown = sizeOf(repository) - gitBefore;
writeFileSync(one, textOf(changes - 1));
const again = await createCheckpointer({ cwd: root, file: join(place, 'kept') });
const [rewind] = await timed(() => again.rewind('start'));
await again.close();

const ms = (number) => `${number.toFixed(1)} ms`;
console.log(`${files} files\n\n| | |\n| --- | --: |`);
console.log(`| first look | ${ms(baseline)} |\n| git add, write-tree | ${ms(gitBaseline)} |`);
console.log(
  `| look without a change | ${ms(median(found.around))} |\n| git status | ${ms(median(found.git))} |\n| find | ${ms(median(found.find))} |`,
);
console.log(`| lag of the event loop meanwhile, worst | ${ms(Math.max(...found.lag))} |`);
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(`| ${changes} checkpoints of a change of one file by a door, each | ${ms(churn / changes)} |`);
console.log(`| git add, write-tree of ${gitChanges}, each | ${ms(gitChurn / gitChanges)} |`);
console.log(`| written by the ${changes} | ${mb(written)} |\n| growth of the file by them | ${mb(grown)} |`);
console.log(`| of git's files by ${changes}, from ${gitChanges} | ${mb((gitGrown / gitChanges) * changes)} |`);
console.log(`| memory of the process afterwards | ${mb(memory)} |`);
console.log(`| rewind | ${ms(rewind)} |\n\nMedians of ${rounds} rounds. Node ${process.versions.node}.`);
rmSync(place, { recursive: true });
const bound = 1.2 * written + 5e6;
if (grown > bound) console.error(`The file has grown by ${mb(grown)}, and ${mb(bound)} are allowed`);
if (left.length > 0) console.error(`${left.join()} was left`);
process.exitCode = grown > bound || left.length > 0 ? 1 : 0;
