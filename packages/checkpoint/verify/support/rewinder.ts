// Puts files back, by a rewind or by hand, and waits to be killed: `rewinder.ts <rewinding|by hand> <directory> <file> <number of files>`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCheckpointer } from '../../src/index.ts';

const [how, root = '', file = '', files] = process.argv.slice(2);
const checkpointer = await createCheckpointer({ cwd: root, file });
console.log('begin');
if (how === 'rewinding') await checkpointer.rewind('m');
else {
  for (let at = 0; at < Number(files); at++) {
    writeFileSync(join(root, `${at}`), `old ${at}\n`);
    if (at % 5 === 0) await sleep(1);
  }
}
await sleep(1_000_000);
