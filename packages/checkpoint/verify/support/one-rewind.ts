// A call that changes the file `a`, and its rewind, whose result it prints: `one-rewind.ts <directory> <file>`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCheckpointer } from '../../src/index.ts';

const [root = '', file = ''] = process.argv.slice(2);
const checkpointer = await createCheckpointer({ cwd: root, file });
await checkpointer.checkpoint('m');
await checkpointer.around(async () => writeFileSync(join(root, 'a'), 'by a call'));
console.log(JSON.stringify(await checkpointer.rewind('m')));
await checkpointer.close();
