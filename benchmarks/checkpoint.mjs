// What looking at a directory costs: `node benchmarks/checkpoint.mjs [--files 10000] [--rounds 15]` after `pnpm build`, with git on PATH.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCheckpointer } from '@x/checkpoint';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '15' },
    changes: { type: 'string', default: '1000' },
  },
});
const [files, rounds, changes] = [values.files, values.rounds, values.changes].map(Number);
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
const before = statSync(join(place, 'kept')).size;
let written = 0;
const one = join(root, 'd0', 'f0.txt');
const [churn] = await timed(async () => {
  for (let at = 0; at < changes; at++) {
    const text = `change ${at}\n`.repeat(100);
    written += text.length;
    await checkpointer.checkpoint(`m${at}`);
    await checkpointer.around(async () => writeFileSync(one, text));
  }
});
await checkpointer.close();
const grown = statSync(join(place, 'kept')).size - before;
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
console.log(
  `| ${changes} changes of one file, each | ${ms(churn / changes)} |\n| growth of the file by it, of what was written | ${(grown / written).toFixed(2)} |`,
);
console.log(`| rewind | ${ms(rewind)} |\n\nMedians of ${rounds} rounds. Node ${process.versions.node}.`);
rmSync(place, { recursive: true });
