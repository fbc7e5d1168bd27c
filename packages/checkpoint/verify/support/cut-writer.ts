// A process of the suite checkpoint-power-cuts: calls and rewinds without end. `cut-writer.ts <root> <file> <list of what was told>`.
import { appendFileSync } from 'node:fs';
import { hostWorkspace } from '@x/sandbox';
import { createCheckpointer } from '../../src/index.ts';
import { afterRound, type RoundTold } from './rounds.ts';

const [cwd = '', file = '', list = ''] = process.argv.slice(2);
const checkpointer = await createCheckpointer({ cwd, file });
const workspace = hostWorkspace({ cwd });
for (let round = 1; ; round++) {
  await checkpointer.checkpoint(`${round}`);
  await work(round);
  if (round % 3 > 0) continue;
  const { success } = await checkpointer.rewind(`${round}`);
  if (!success) throw new Error('A rewind has failed');
  tell({ kind: 'rewound', round });
  await work(round);
}

async function work(round: number): Promise<void> {
  const files = Object.entries(afterRound(round));
  await checkpointer.around(async () => {
    if (round % 2 === 0) await workspace.remove('link');
    for (const [path, shown] of files) {
      if (path === 'link') await workspace.makeLink(path, shown.slice(3));
      else await workspace.writeFile(path, Buffer.from(shown.slice(4)));
    }
  });
  tell({ kind: 'call', round });
}

function tell(one: RoundTold): void {
  appendFileSync(list, `${JSON.stringify(one)}\n`);
}
